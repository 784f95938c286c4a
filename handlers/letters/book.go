package letters

import (
	"debitdesk/models/calendar"
	"debitdesk/models/leaving"
	"debitdesk/models/mail"
	"debitdesk/views/emails"
)

var _ leaving.Letters = Writer{}

// BookReady tells who asked for the book of the business where it can be fetched.
func (w Writer) BookReady(r leaving.Ready) mail.Letter {
	return letter(emails.View{Title: "Your book is ready", Preview: "You can download it for 7 days.", Brand: "Debitdesk",
		Greeting: "Dear " + r.To + ",",
		Paragraphs: []string{"The file with everything that your business owns was written, " + r.Contents + ". It is not " +
			"attached: sign in to download it."},
		Facts:  []emails.Line{{Label: "Until", Value: r.Until.In(calendar.SAST).Format(day+", 15:04") + " SAST"}},
		Button: emails.Button{Label: "Download your book", URL: w.Base + "/tasks/" + r.TaskID.String()},
		After: []string{"If you did not ask for this, tell an admin of your business at once. The audit keeps who asks for " +
			"a book and who downloads it."},
		Sender: []string{"Debitdesk, where your business runs its debit orders"}})
}
