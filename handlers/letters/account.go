package letters

import (
	"debitdesk/handlers/papers"
	"debitdesk/models/clientaccount"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/money"
	"debitdesk/models/wording"
	"debitdesk/views/emails"
)

var _ clientaccount.Letters = Writer{}

// AccountStatement implements clientaccount.Letters. The account itself is in the PDF.
func (w Writer) AccountStatement(st clientaccount.Statement) mail.Letter {
	to, b := st.Client.Addressed(), st.Brand
	return letter(locale.Whole(st.Reads, func(say locale.Words) emails.View {
		v := w.toClient(say, to, b, say.Say("mail.account_statement.subject", "business", b.Name))
		owes, asOf, owing := papers.Owes(say, st), papers.AsOf(say, st), st.Account.Owing.Format(money.ZAR)
		v.Preview = owes
		v.Paragraphs = []string{say.Say("mail.account_statement.text"), owes}
		v.Facts = []emails.Line{{Label: say.Say("paper.account.as_of"), Value: asOf},
			{Label: say.Say("paper.account.owed"), Value: owing, Strong: true}}
		v.After = []string{unexpectedIn(say, b)}
		own(&v, say, b, to, clientaccount.MailStatement, values{wording.Amount: owing,
			wording.Date: say.Day(st.Account.AsOf)})
		return v
	}))
}
