package letters

import (
	"debitdesk/models/analysis"
	"debitdesk/models/mail"
	"debitdesk/models/savedreport"
	"debitdesk/views/emails"
)

var _ savedreport.Letters = Writer{}

// MonthlyReport brings a saved report to the person who keeps it.
func (w Writer) MonthlyReport(to string, r savedreport.Report, q analysis.Question) mail.Letter {
	return letter(emails.View{Title: "Your report: " + r.Name, Preview: "How debits went, as PDF.", Brand: "Debitdesk",
		Greeting:   "Dear " + to + ",",
		Paragraphs: []string{"Attached is your saved report on how debits went, as PDF."},
		Facts: []emails.Line{{Label: "From", Value: q.From.Format(day)}, {Label: "To", Value: q.To.Format(day)},
			{Label: "Period", Value: r.Period.Words()}},
		Button: emails.Button{Label: "Open your reports", URL: w.Base + "/reports#saved"},
		After:  []string{"You asked for this mail each month. You can stop it under Reports, at your saved reports."},
		Sender: []string{"Debitdesk, where your business runs its debit orders"}})
}
