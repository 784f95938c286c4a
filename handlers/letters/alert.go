package letters

import (
	"strings"

	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/mail"
	"debitdesk/models/user"
	"debitdesk/views/emails"
)

// Alert tells an admin of a change that decides where money goes, or who may move it.
func (w Writer) Alert(e audit.Entry, to user.User, b user.Business) mail.Letter {
	by := e.Actor.Name
	if e.Actor.ID == to.ID {
		by = "You"
	}
	v := emails.View{Title: "A setting that directs money was changed", Preview: e.Text, Brand: b.Name,
		Sandbox: b.IsTest, Greeting: "Dear " + to.Called() + ",", Paragraphs: []string{e.Text},
		Facts: []emails.Line{{Label: "By", Value: by},
			{Label: "When", Value: e.At.In(calendar.SAST).Format("2 January 2006, 15:04") + " SAST"}},
		Button: emails.Button{Label: "View the change", URL: strings.TrimRight(w.Base, "/") + "/audit/" + e.ID.String()},
		After: []string{"Every admin gets this mail. If no one in your business meant this change, change it back, " +
			"disable the person who made it under Settings, People, and revoke credentials that you do not know."},
		Sender: []string{"Debitdesk, for " + b.Name}}
	if e.Action == audit.SettingAsked {
		v.Title = "A change of a setting that directs money was asked for"
		v.Paragraphs = append(v.Paragraphs, "Nothing changes before a second approver agrees.")
		v.Button = emails.Button{Label: "View the request",
			URL: strings.TrimRight(w.Base, "/") + "/approvals/" + e.ObjectID.String()}
		v.After = []string{"Every admin gets this mail. If no one in your business meant this change, refuse it, and " +
			"disable the person who asked for it under Settings, People."}
	}
	if e.Actor.IP != "" {
		v.Facts = append(v.Facts, emails.Line{Label: "From", Value: e.Actor.IP})
	}
	return letter(v)
}
