package letters

import (
	"debitdesk/models/calendar"
	"debitdesk/models/factor"
	"debitdesk/models/mail"
	"debitdesk/views/emails"
)

var _ factor.Letters = Writer{}

// FactorChanged tells a person that something about their second factors changed.
func (w Writer) FactorChanged(n factor.Notice) mail.Letter {
	v := emails.View{Title: "Your two-step sign-in at Debitdesk has changed", Preview: n.What, Brand: "Debitdesk",
		Sandbox: n.Sandbox, Greeting: "Dear " + n.To + ",",
		Paragraphs: []string{n.What}, Facts: []emails.Line{
			{Label: "When", Value: n.At.In(calendar.SAST).Format("2 January 2006, 15:04") + " SAST"}},
		Button: emails.Button{Label: "View your account", URL: w.Base + "/account/security"},
		After: []string{
			"If this was not you, change your password, end all other sessions on your account page, " +
				"and tell an admin of your business at once.",
		},
		Sender: []string{"Debitdesk, where your business runs its debit orders"}}
	if n.IP != "" {
		v.Facts = append(v.Facts, emails.Line{Label: "From", Value: n.IP})
	}
	return letter(v)
}
