package simbank

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"debitdesk/models/calendar"
)

// judge decides what becomes of a message: it is refused as a whole, a group of it, or single
// items, and for the others it writes down everything that will happen.
func (b *Bank) judge(f *file, m message, told []Misbehaviour) {
	f.Message, f.ID, f.Created = m.Name, m.ID, m.Created
	for _, o := range m.orders {
		f.Count++
		f.Cents += o.Cents
	}
	if f.Refused = b.wholeRefusal(f, m, told); f.Refused != nil {
		return
	}
	f.judgeGroups(m, told)
	f.Orders = m.orders
	for _, o := range f.Orders {
		o.file = f
		if o.group > 0 {
			o.Refused = f.Groups[o.group-1].Refused
		}
		if o.Refused == nil {
			o.Refused = b.itemRefusal(o)
		}
		if o.Refused == nil {
			b.plan(o, f.At)
			b.known[o.key()] = o
		}
	}
}

// judgeGroups counts each group and decides whether it is refused.
func (f *file) judgeGroups(m message, told []Misbehaviour) {
	f.Groups = make([]group, len(m.groups))
	for _, o := range m.orders {
		if o.group > 0 {
			f.Groups[o.group-1].Count++
			f.Groups[o.group-1].Cents += o.Cents
		}
	}
	seen := map[string]bool{}
	for i, g := range m.groups {
		one := &f.Groups[i]
		one.ID = g.ID
		if one.Refused = g.refusal(*one, !m.recalls(), seen[g.ID]); i == 0 && has(told, RefuseGroup) {
			one.Refused = &onRequest
		}
		seen[g.ID] = true
	}
}

// key is what an order must not share with another that the bank has taken.
func (o *order) key() string { return string(o.Kind) + " " + o.identity() }

func (o *order) identity() string {
	if o.ID != "" {
		return o.ID
	}
	return o.EndToEnd
}

func (b *Bank) wholeRefusal(f *file, m message, told []Misbehaviour) *reason {
	switch {
	case has(told, RefuseFile):
		return &onRequest
	case !slices.Contains(readable, m.Name) || m.ID == "" || len(m.orders) == 0:
		return &badFormat
	case b.messages[m.ID] != nil:
		return &duplicateMessage
	case m.stem() == "pain.007" && b.messages[m.about] == nil:
		return &noOriginal
	case m.said.count >= 0 && m.said.count != int64(f.Count):
		return &wrongCount
	case m.said.cents >= 0 && m.said.cents != f.Cents:
		return &wrongSum
	}
	return nil
}

// readable are the messages that the bank takes.
var readable = []string{"pain.008.001.02", "pain.008.001.08", "pain.008.001.09", "pain.008.001.10", "pain.008.001.11",
	"pain.001.001.03", "pain.001.001.09", "pain.001.001.10", "pain.001.001.11", "pain.001.001.12",
	"pain.009.001.05", "pain.009.001.07", "pain.009.001.08", "pain.011.001.05", "pain.011.001.07", "pain.011.001.08",
	"camt.055.001.09", "pain.007.001.10"}

// recalls tells that a message withdraws debits, whose groups it names.
func (m message) recalls() bool { return m.stem() == "camt.055" || m.stem() == "pain.007" }

func (g *readGroup) refusal(found group, payments, seen bool) *reason {
	day, err := calendar.ParseDate(g.day)
	switch {
	case g.said.count >= 0 && g.said.count != int64(found.Count):
		return &wrongCount
	case g.said.cents >= 0 && g.said.cents != found.Cents:
		return &wrongSum
	case payments && seen:
		return &duplicateGroup
	case payments && g.creditor == "":
		return &noCreditor
	case payments && (err != nil || day.IsZero()):
		return &badDate
	}
	return nil
}

var (
	branchShape  = regexp.MustCompile(`^[0-9]{6}$`)
	accountShape = regexp.MustCompile(`^[0-9]{5,13}$`)
)

func (b *Bank) itemRefusal(o *order) *reason {
	money := o.Kind == debit || o.Kind == refund
	switch {
	case o.Kind == cancellation:
		return nil
	case o.identity() == "":
		return &noIdentity
	case b.known[o.key()] != nil:
		return &duplicateItem
	case o.Kind == recall:
		return nil
	case !branchShape.MatchString(o.Branch):
		return &badBranch
	case !accountShape.MatchString(o.Account):
		return &badAccount
	case money && o.Currency != "ZAR":
		return &badCurrency
	case money && o.Cents <= 0:
		return &badAmount
	case money && ruleOf(o.Account).does == unknown:
		r := returned(ruleOf(o.Account).code)
		return &r
	}
	return nil
}

// plan writes down what will happen to an order that arrives now.
func (b *Bank) plan(o *order, now time.Time) {
	p := planner{cal: b.cal, now: now, order: o, reports: b.settings.Reports}
	switch o.Kind {
	case debit:
		p.previous = b.counts[debit][o.Account]
		p.planDebit()
	case refund:
		p.planRefund()
	case request:
		p.previous = b.counts[request][o.Account]
		p.planMandate(b.orders)
	case recall:
		of := b.known[string(debit)+" "+firstOf(o.Of, o.EndToEnd)]
		if of != nil && o.in != "" && of.file.ID != o.in {
			of = nil // a reversal is about the debits of the message that it names
		}
		o.Target, o.Done = b.withdraw(of, now)
	case cancellation:
		if of := b.mandate(o); of != nil {
			o.Target, o.Done = of.number, true
		}
	}
	b.apply(o)
}

// withdraw tells which debit a recall is about and whether it comes in time: before the debit's day.
func (b *Bank) withdraw(of *order, now time.Time) (number int, inTime bool) {
	if of == nil {
		return 0, false
	}
	return of.number, of.ended.IsZero() && now.Before(of.Day.At(0, 0))
}

// mandate is the request that a cancellation is about.
func (b *Bank) mandate(o *order) *order {
	if of := b.known[string(request)+" "+o.Of]; of != nil {
		return of
	}
	for _, of := range b.known {
		for _, e := range of.Plan {
			if of.Kind == request && e.Mandate != "" && (e.Mandate == o.Mandate || e.Mandate == o.Of) {
				return of
			}
		}
	}
	return nil
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// debiCheck tells whether a debit is run as DebiCheck, by the name of its service.
func (o *order) debiCheck() bool { return strings.Contains(strings.ToUpper(o.Service), "DEBICHECK") }

// disputable tells whether the payer's bank hears a dispute: of EFT always, of DebiCheck only where the
// service says that the payer did not authenticate the debit.
func (o *order) disputable() bool {
	return !o.debiCheck() || strings.Contains(strings.ToUpper(o.Service), "REGISTERED")
}

// prompt tells whether the payer of a mandate request is to answer at once.
func (o *order) prompt() bool {
	service := strings.ReplaceAll(strings.ToUpper(o.Service), "_", "")
	return strings.Contains(service, "REALTIME") || strings.Contains(service, "TT1")
}
