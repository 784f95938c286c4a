package allocation

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/database"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// Offer is a purchase that a movement may pay, and why we think so.
type Offer struct {
	purchase.Record
	Named   string // how the text of the payment names it; empty: it does not
	Agrees  bool   // it owes what is left of the movement
	Alike   int    // how many purchases are known to owe just that, with this one
	More    bool   // there are more than were looked at
	ByName  bool   // the text has the client's name
	Crowded bool   // what names it in the text names many others, too
	Blocked string // why it cannot be paid now; empty: it can
}

// mostOffers is how many purchases are looked at for each reason (ours).
const mostOffers = 25

// Offers are open purchases that the rest of a movement may pay: those that its text names first, then those that owe
// just that, the client's name in the text before others. search finds any other. What was chosen is among them.
func (s *Service) Offers(ctx context.Context, who actor.Actor, n exchange.Entry, search string,
	chosen []uuid.UUID) ([]Offer, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	if !n.Payable() {
		return nil, nil
	}
	found := offersOf(n)
	if names, _ := namesIn(n.Remittance); search == "" && len(names) > 0 {
		k, err := s.named(ctx, who, names, nil, mostOffers)
		if err != nil {
			return nil, err
		}
		found.take(names, k)
	}
	picked, err := s.Purchases.Several(ctx, who, chosen)
	if err != nil {
		return nil, err
	}
	for _, rec := range picked {
		found.add(rec, "")
	}
	f := purchase.Filter{Statuses: purchase.Owing, Search: search}
	if search == "" {
		f.MinCents, f.MaxCents = found.left, found.left
	}
	page, err := s.Purchases.List(ctx, who, f, paging.Ask{Limit: mostOffers})
	if err != nil {
		return nil, err
	}
	for _, rec := range page.Items {
		found.add(rec, "")
	}
	return found.ranked(s, page.Older), nil
}

// offers collects purchases, each once.
type offers struct {
	text     string
	left     int64
	currency string
	all      []Offer
	at       map[uuid.UUID]int
	closed   bool // the text names a purchase that is not owed, too
}

func offersOf(n exchange.Entry) offers {
	return offers{text: folded(n.Remittance + " " + n.Text), left: n.LeftCents(), currency: n.Currency,
		at: map[uuid.UUID]int{}}
}

func (o *offers) add(rec purchase.Record, named string) {
	if _, known := o.at[rec.ID]; known || !rec.Status.Owing() || rec.OpenCents() == 0 || rec.Currency != o.currency {
		return
	}
	o.at[rec.ID] = len(o.all)
	o.all = append(o.all, Offer{Record: rec, Named: named, Agrees: rec.OpenCents() == o.left,
		ByName: namesClient(o.text, rec.Payer.FullName)})
}

// ranked are the offers, the likeliest first.
func (o *offers) ranked(s *Service, more bool) []Offer {
	alike := 0
	for _, of := range o.all {
		if of.Agrees {
			alike++
		}
	}
	for i := range o.all {
		of := &o.all[i]
		of.Alike, of.More = alike, more
		if err := s.Purchases.MayMarkAsPaid(of.Record); err != nil {
			of.Blocked = "It is expired and takes no payment."
			if of.Status == purchase.PendingCharge || of.Status == purchase.PendingExecute {
				of.Blocked = "A debit is planned or with the bank. Cancel it first."
			}
		}
	}
	no := func(b bool) int {
		if b {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(o.all, func(a, b Offer) int {
		return cmp.Or(cmp.Compare(no(a.Named != ""), no(b.Named != "")), cmp.Compare(no(a.Agrees), no(b.Agrees)),
			cmp.Compare(no(a.ByName), no(b.ByName)), cmp.Compare(no(a.Blocked == ""), no(b.Blocked == "")))
	})
	return o.all
}

// Sure tells that the offer needs no second look: the text names this purchase, which owes just what came.
func (o Offer) Sure() bool { return o.Named != "" && !o.Crowded && o.Agrees && o.Blocked == "" }

// Probable is the one offer that is sure; false where there is none, or where there are several.
func Probable(all []Offer) (Offer, bool) {
	first := slices.IndexFunc(all, Offer.Sure)
	if first < 0 || slices.ContainsFunc(all[first+1:], Offer.Sure) {
		return Offer{}, false
	}
	return all[first], true
}

const (
	mostNames    = 6 // of a text, which are looked up (ours)
	shortestName = 4 // of characters, of a reference that a text is searched for (ours)
	shortestPart = 3 // of a client's surname (ours)
)

// namesIn are the references and numbers that a text may hold: words with a digit, as they are, and with the hyphen
// that statements leave out. cut tells that the text holds more.
func namesIn(text string) (names []string, cut bool) {
	add := func(name string) {
		switch {
		case len(name) < shortestName || slices.Contains(names, name):
		case len(names) == mostNames:
			cut = true
		default:
			names = append(names, name)
		}
	}
	words := strings.FieldsFunc(strings.ToUpper(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '/' && r != '_' && r != '.'
	})
	for i, word := range words {
		word = strings.Trim(word, "-/_.")
		digit := strings.IndexFunc(word, unicode.IsDigit)
		if digit < 0 {
			continue
		}
		add(word)
		before := ""
		switch {
		case digit > 0 && !strings.ContainsAny(word, "-/_."):
			before, word = word[:digit], word[digit:]
		case digit == 0 && i > 0:
			before = strings.Trim(words[i-1], "-/_.")
		}
		if before != "" && strings.IndexFunc(before, unicode.IsDigit) < 0 {
			add(before + "-" + word)
			add(before + word)
		}
	}
	return names, cut
}

func folded(text string) string { return database.Fold(text) }

// namesClient tells that a text has the surname of a client.
func namesClient(text, name string) bool {
	words := strings.Fields(folded(name))
	if len(words) == 0 || len(words[len(words)-1]) < shortestPart {
		return false
	}
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }),
		words[len(words)-1])
}
