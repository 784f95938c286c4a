package letters

import (
	"fmt"
	"strings"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/mail"
	"debitdesk/models/member"
	"debitdesk/models/user"
	"debitdesk/views/emails"
)

var (
	_ member.Letters = Writer{}
	_ user.Letters   = Writer{}
)

// roles as a mail names them.
var roles = map[actor.Role]string{actor.Admin: "Admin", actor.Finance: "Finance", actor.Staff: "Staff",
	actor.ReadOnly: "Read-only"}

// Invitation asks somebody to work for a business.
func (w Writer) Invitation(i member.Invitation, b user.Business, inviter, token string) mail.Letter {
	v := toPerson(i.Name, b, "Join "+b.Name+" on Debitdesk")
	v.Preview = "Your invitation is open for seven days."
	v.Paragraphs = []string{fmt.Sprintf("%s invites you to work for %s on Debitdesk, where it collects its debit orders.",
		inviter, b.Name),
		"If you already have an account on Debitdesk, sign in with it; otherwise choose a password."}
	v.Facts = []emails.Line{{Label: "Your role", Value: roles[i.Role]},
		{Label: "Open until", Value: minute(i.ExpiresAt)}}
	v.Button = emails.Button{Label: "Accept the invitation", URL: w.at("/invite/", token)}
	v.After = []string{
		"The link is only for you and works once. If you did not expect this mail, you do not need to do anything."}
	return letter(v)
}

// PasswordReset brings the link to a new password.
func (w Writer) PasswordReset(u user.User, b user.Business, token string, until time.Time) mail.Letter {
	v := toPerson(u.Name, b, "A new password for Debitdesk")
	v.Preview = "The link works once, for one hour."
	v.Paragraphs = []string{"We received a request for a new password for your account " + u.Email + "."}
	v.Facts = []emails.Line{{Label: "Works until", Value: minute(until)}}
	v.Button = emails.Button{Label: "Choose a new password", URL: w.at("/reset/", token)}
	v.After = []string{
		"If this was not you, you do not need to do anything: your password stays as it is. " +
			"Do not share the link with anyone; we never ask for it.",
	}
	return letter(v)
}

// PasswordChanged tells a person that their password is another one now.
func (w Writer) PasswordChanged(u user.User, b user.Business, at time.Time) mail.Letter {
	v := toPerson(u.Name, b, "Your Debitdesk password was changed")
	v.Preview = "You do not need to do anything if it was you."
	v.Paragraphs = []string{"The password of your account " + u.Email +
		" was changed, and you were signed out everywhere else."}
	v.Facts = []emails.Line{{Label: "When", Value: minute(at)}}
	v.Button = emails.Button{Label: "It was not me", URL: strings.TrimRight(w.Base, "/") + "/reset"}
	v.After = []string{"If it was not you, choose a new password at once and tell an admin of your business."}
	return letter(v)
}

func (w Writer) at(path, token string) string { return strings.TrimRight(w.Base, "/") + path + token }

func toPerson(name string, b user.Business, title string) emails.View {
	v := emails.View{Title: title, Brand: "Debitdesk", Sandbox: b.IsTest, Greeting: "Hello,",
		Sender: []string{"Debitdesk, for " + b.Name}}
	if name != "" {
		v.Greeting = "Hello " + name + ","
	}
	return v
}

// minute writes an instant in SAST.
func minute(at time.Time) string { return at.In(calendar.SAST).Format(day+", 15:04") + " SAST" }
