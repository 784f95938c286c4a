package checkout

import (
	"strings"

	"debitdesk/handlers/papers"
	"debitdesk/models/bank"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// contact says whom to ask.
func contact(rec purchase.Record) string {
	b := rec.Brand
	phone := strings.ReplaceAll(papers.Phone(b.Phone), " ", money.NBSP)
	switch {
	case phone != "" && b.Email != "":
		return "Questions? Call " + phone + " or write to " + b.Email + "."
	case phone != "":
		return "Questions? Call " + phone + "."
	case b.Email != "":
		return "Questions? Write to " + b.Email + "."
	}
	return "Questions? Ask " + b.Name + "."
}

func reference(rec purchase.Record) string {
	if rec.Reference != "" {
		return rec.Reference
	}
	return rec.ReferenceGenerated
}

// next is where the payer goes on from here, on the merchant's own site.
func next(rec purchase.Record) string {
	switch rec.Status {
	case purchase.Failed, purchase.Chargeback:
		return safeLink(rec.Options.FailureRedirect)
	case purchase.Cancelled, purchase.Expired:
		return safeLink(rec.Options.CancelRedirect)
	default:
		return safeLink(rec.Options.SuccessRedirect)
	}
}

// safeLink keeps a link only when it leads to a web page.
func safeLink(link string) string {
	if strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://") {
		return link
	}
	return ""
}

func bankName(code string) string {
	if name := bank.BankName(code); name != "" {
		return name
	}
	return "Branch " + code
}

// initials are the first letters of the first two words of a name.
func initials(name string) string {
	out := ""
	for _, word := range strings.Fields(name) {
		out += strings.ToUpper(string([]rune(word)[:1]))
		if len([]rune(out)) == 2 {
			break
		}
	}
	return out
}
