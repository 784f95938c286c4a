package letters

import (
	"fmt"
	"strings"

	"debitdesk/models/approval"
	"debitdesk/models/calendar"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/user"
	"debitdesk/views/emails"
)

var _ approval.Letters = Writer{}

// Asked tells somebody who may agree that a request waits.
func (w Writer) Asked(a approval.Approval, to user.User, m merchant.Merchant) mail.Letter {
	v := toColleague(to, m, a.AskedName+" asks for your approval")
	v.Paragraphs = []string{fmt.Sprintf("%s wants to %s.", a.AskedName, a.Subject.Name),
		"Nothing happens before it is approved. Check what depends on it, and approve or refuse."}
	v.Message = a.Reason
	v.Facts = append(v.Facts, emails.Line{Label: "Answer until",
		Value: a.ExpiresAt.In(calendar.SAST).Format("2 January 2006, 15:04") + " SAST"})
	v.Button = emails.Button{Label: "View the request", URL: w.approval(a)}
	return letter(v)
}

// Decided tells who asked what became of it.
func (w Writer) Decided(a approval.Approval, to user.User, m merchant.Merchant) mail.Letter {
	v := toColleague(to, m, fmt.Sprintf("Your request was %s", a.State))
	what := "It was done on your behalf."
	if a.State == approval.Refused {
		what = "Nothing was done."
	} else if a.Kind == approval.StopClient {
		what = "It was done on your behalf. An admin or finance can undo it on the client’s page."
	} else if a.Kind == approval.DoMany {
		what = "It goes on in the background on your behalf. Under Tasks you can see what was done and what was not."
	} else if a.Kind == approval.DeleteTokens {
		what = "It was done on your behalf, and can be undone for ten minutes."
	}
	v.Paragraphs = []string{fmt.Sprintf("You asked to %s. %s %s your request. %s", a.Subject.Name, a.DecidedName, a.State,
		what)}
	v.Message = a.Decision
	v.Button = emails.Button{Label: "View the request", URL: w.approval(a)}
	return letter(v)
}

// Withdrawn tells who asked, and who was asked, that what was asked for has changed.
func (w Writer) Withdrawn(a approval.Approval, to user.User, m merchant.Merchant) mail.Letter {
	v := toColleague(to, m, "A request for approval was withdrawn")
	who, next := a.AskedName, "You no longer need to do anything."
	if to.ID == a.AskedBy {
		who, next = "You", "Review the batch and ask again."
	}
	v.Paragraphs = []string{
		fmt.Sprintf(
			"%s asked for approval to %s. %s changed the batch after that, so the request was "+
				"withdrawn and nothing was sent. %s",
			who,
			a.Subject.Name,
			a.DecidedName,
			next,
		),
	}
	v.Message = a.Decision
	v.Button = emails.Button{Label: "View the request", URL: w.approval(a)}
	return letter(v)
}

// Loosened tells an admin that a second person is needed less often.
func (w Writer) Loosened(by string, before, after merchant.Demands, to user.User, m merchant.Merchant) mail.Letter {
	v := toColleague(to, m, "Fewer things need a second approver now")
	v.Paragraphs = []string{by +
		" changed what needs a second approver. If this was not intended, change it back under Settings, Approvals."}
	v.Facts = []emails.Line{
		{Label: "Deletion of tokens", Value: yesNo(before.Deletions) + " → " + yesNo(after.Deletions)},
		{Label: "Batches", Value: above(before.BatchesAbove) + " → " + above(after.BatchesAbove)},
	}
	if before.FilesAbove != nil || after.FilesAbove != nil {
		v.Facts = append(v.Facts, emails.Line{Label: "Files to the bank",
			Value: above(before.FilesAbove) + " → " + above(after.FilesAbove)})
	}
	if before.Settings || after.Settings {
		v.Facts = append(v.Facts, emails.Line{Label: "Settings that direct money",
			Value: yesNo(before.Settings) + " → " + yesNo(after.Settings)})
	}
	v.Button = emails.Button{Label: "View the settings", URL: strings.TrimRight(w.Base, "/") + "/settings/approvals"}
	return letter(v)
}

func (w Writer) approval(a approval.Approval) string {
	return strings.TrimRight(w.Base, "/") + "/approvals/" + a.ID.String()
}

// toColleague begins a mail to somebody who works for the business.
func toColleague(to user.User, m merchant.Merchant, title string) emails.View {
	return emails.View{Title: title, Brand: m.Name, Sandbox: m.IsTest, Greeting: "Dear " + to.Called() + ",",
		Sender: []string{"Debitdesk, for " + m.Name}}
}

func yesNo(yes bool) string {
	if yes {
		return "a second approver"
	}
	return "no second approver"
}

func above(limit *int64) string {
	if limit == nil {
		return "no second approver"
	}
	return "a second approver above " + money.Format(*limit, money.ZAR)
}
