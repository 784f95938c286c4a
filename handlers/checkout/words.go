package checkout

import (
	"net/url"
	"strings"

	"debitdesk/handlers/papers"
	"debitdesk/models/bank"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/layout"
)

// contact says whom to ask.
func contact(b merchant.Brand, subject string) layout.PayerContact {
	c := layout.PayerContact{Ask: "Questions? Ask " + b.Name + "."}
	if b.Phone != "" {
		c.Call = components.Link{Text: strings.ReplaceAll(papers.Phone(b.Phone), " ", money.NBSP), Href: callHref(b.Phone)}
	}
	if b.Email != "" {
		c.Write = components.Link{Text: b.Email, Href: "mailto:" + b.Email + "?subject=" +
			url.PathEscape(subject)}
	}
	return c
}

// callHref is what a phone dials: with the country's code where it is known.
func callHref(phone string) string {
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, phone)
	if len(digits) == 11 && strings.HasPrefix(digits, "27") || strings.HasPrefix(strings.TrimSpace(phone), "+") {
		return "tel:+" + digits
	}
	return "tel:" + digits
}

// contacts are the ways to reach the business, as buttons on a page that offers nothing else.
func contacts(rec purchase.Record) (links []components.Link) {
	c := contact(rec.Brand, reference(rec))
	if c.Call.Href != "" {
		links = append(links, components.Link{Text: "Call " + c.Call.Text, Href: c.Call.Href})
	}
	if c.Write.Href != "" {
		links = append(links, components.Link{Text: "Write to " + c.Write.Text, Href: c.Write.Href})
	}
	return links
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
