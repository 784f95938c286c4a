package find

import (
	"net/url"
	"strconv"
	"strings"

	"debitdesk/handlers/web/batches"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/mandates"
	"debitdesk/handlers/web/tokens"
	"debitdesk/handlers/web/words"
	"debitdesk/models/batch"
	"debitdesk/models/find"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

var groupNames = map[find.Kind]string{find.Clients: "Clients", find.Purchases: "Purchases", find.Invoices: "Invoices",
	find.Mandates: "Mandates", find.Tokens: "Tokens", find.Batches: "Batches", find.Templates: "Templates"}

// hitView puts a record into words. Its second line tells it from others of the same name.
func hitView(h find.Hit) pages.FindHit {
	sum := ""
	if h.Cents != 0 {
		sum = words.Sum(h.Cents, h.Currency)
	}
	day := ""
	if !h.Day.IsZero() {
		day = words.Glue(h.Day.Format("2 Jan 2006"))
	}
	id := h.ID.String()
	switch h.Kind {
	case find.Clients:
		second := words.JoinedWords(" · ", h.Second, words.PhoneWords(h.Mark))
		if h.Name == h.Second {
			second = words.PhoneWords(h.Mark)
		}
		return pages.FindHit{Icon: "user", Title: h.Name, Second: second, Href: words.ClientHref(h.ID)}
	case find.Purchases:
		if day != "" { // none was given for some
			day = "due " + day
		}
		return pages.FindHit{Icon: "receipt", Title: h.Mark + " · " + h.Name,
			Second: words.JoinedWords(" · ", sum, day), Href: words.PurchasePath(h.ID),
			State: words.StatusWords[purchase.Status(h.State)]}
	case find.Invoices:
		return pages.FindHit{Icon: "file", Title: h.Mark + " · " + h.Name,
			Second: words.JoinedWords(" · ", sum, "issued "+day), Href: words.PurchasePath(h.Of),
			State: words.StatusWords[purchase.Status(h.State)]}
	case find.Mandates:
		return pages.FindHit{Icon: "shield", Title: h.Mark + " · " + h.Name, Href: words.MandatePath(h.ID),
			State: mandates.StatePill(mandate.State(h.State))}
	case find.Tokens:
		return pages.FindHit{
			Icon:  "key",
			Title: strings.TrimSpace(words.BankWords(h.Second)+" "+h.Mark) + " · " + h.Name,
			Href:  words.TokenPath(h.ID),
			State: tokens.StatePill(token.State(h.State)),
		}
	case find.Batches:
		return pages.FindHit{Icon: "layers", Title: h.Name, Second: "added " + day, Href: "/batches/" + id,
			State: batches.StatePill(batch.State(h.State))}
	case find.Templates:
		return pages.FindHit{Icon: "repeat", Title: h.Name, Second: sum, Href: words.TemplateHref(h.ID, "")}
	}
	return pages.FindHit{}
}

// allOf leads to the list with everything that was found of a kind, where the list finds the same.
func allOf(m find.Meaning, of find.Found) components.Link {
	query := url.Values{"q": {m.Text}}
	switch {
	case of.Hits[0].Score == find.ByAmount && of.Kind == find.Purchases:
		exact := money.Amount(m.Cents)
		query = url.Values{"amount_min": {exact}, "amount_max": {exact}}
	case of.Hits[0].Score == find.ByLike: // the list finds none of them
		return components.Link{}
	case m.Phone != "" || len(of.Hits) == 0 || of.Kind == find.Batches || of.Kind == find.Tokens:
		return components.Link{}
	}
	n := "All "
	if of.Count > 0 {
		n += strconv.Itoa(of.Count) + " "
	}
	path := map[find.Kind]string{find.Clients: "/clients", find.Purchases: "/purchases", find.Invoices: "/invoices",
		find.Mandates: "/mandates", find.Templates: "/templates"}[of.Kind]
	return components.Link{Text: n + strings.ToLower(groupNames[of.Kind]) + " that match", Href: kit.Address(path, query)}
}
