package checkout

import (
	"net/url"
	"regexp"
	"strings"

	"debitdesk/handlers/papers"
	"debitdesk/models/bank"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/layout"
)

// frameWords are those of the frame around a page.
func frameWords(w locale.Words) layout.PayerWords {
	return layout.PayerWords{Lang: w.Tag(), Skip: w.Say("page.skip"), Encrypted: w.Say("page.encrypted"),
		Languages: w.Say("page.languages"), Form: components.FormWords{Optional: w.Say("page.optional"),
			Error: w.Say("page.error"), Problems: func(n int) string { return w.Count("page.problems", n) }}}
}

// contact says whom to ask: a sentence of which the phone number and the address are links.
func contact(w locale.Words, b merchant.Brand, subject string) layout.PayerContact {
	call, write := contactLinks(b, subject)
	switch {
	case call.Href != "" && write.Href != "":
		return linked(w.Say("page.both"), map[string]components.Link{"{phone}": call, "{mail}": write})
	case call.Href != "":
		return linked(w.Say("page.phone"), map[string]components.Link{"{phone}": call})
	case write.Href != "":
		return linked(w.Say("page.mail"), map[string]components.Link{"{mail}": write})
	}
	return layout.PayerContact{{Text: w.Say("page.ask", "business", b.Name)}}
}

func contactLinks(b merchant.Brand, subject string) (call, write components.Link) {
	if b.Phone != "" {
		call = components.Link{Text: strings.ReplaceAll(papers.Phone(b.Phone), " ", money.NBSP), Href: callHref(b.Phone)}
	}
	if b.Email != "" {
		write = components.Link{Text: b.Email, Href: "mailto:" + b.Email + "?subject=" + url.PathEscape(subject)}
	}
	return call, write
}

var placeForm = regexp.MustCompile(`\{\w+\}`)

// linked cuts a text at its places and puts links there.
func linked(text string, links map[string]components.Link) (parts layout.PayerContact) {
	at := 0
	for _, found := range placeForm.FindAllStringIndex(text, -1) {
		parts = append(parts, components.Link{Text: text[at:found[0]]}, links[text[found[0]:found[1]]])
		at = found[1]
	}
	return append(parts, components.Link{Text: text[at:]})
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
func contacts(w locale.Words, rec purchase.Record) (links []components.Link) {
	call, write := contactLinks(rec.Brand, reference(rec))
	if call.Href != "" {
		links = append(links, components.Link{Text: w.Say("pay.call", "phone", call.Text), Href: call.Href})
	}
	if write.Href != "" {
		links = append(links, components.Link{Text: w.Say("pay.write", "mail", write.Text), Href: write.Href})
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

func bankName(w locale.Words, code string) string {
	if name := bank.BankName(code); name != "" {
		return name
	}
	return w.Say("pay.branch", "code", code)
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
