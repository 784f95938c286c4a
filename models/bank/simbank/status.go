package simbank

import (
	"fmt"
	"strings"
)

// unknownID is an id that no product sends.
const unknownID = "ffffffffffff4fffbfffffffffffffff"

// original begins a pain.002 about a message.
func (d *document) original(f *file, status string, refused *reason, counts func()) {
	count, cents := f.Count, f.Cents
	if has(d.a.As, WrongTotals) {
		count, cents = count+1, cents+100
	}
	d.in("OrgnlGrpInfAndSts", func() {
		d.text("OrgnlMsgId", cut(firstOf(f.ID, "NOTPROVIDED")))
		d.text("OrgnlMsgNmId", cut(firstOf(f.Message, "NOTPROVIDED")))
		d.number("OrgnlNbOfTxs", count)
		d.text("OrgnlCtrlSum", rands(cents))
		d.text("GrpSts", status)
		if refused != nil {
			d.why("StsRsnInf", "AddtlInf", *refused)
		}
		counts()
	})
}

func cut(text string) string { return text[:min(35, len(text))] }

// acknowledgement is the first status report about a message. A message whose items are all refused is still
// partly accepted: the message itself was good.
func (b *Bank) acknowledgement(d *document, a *answer) {
	f := b.files[a.Key.File-1]
	refused := f.refusedOrders()
	d.in("CstmrPmtStsRpt", func() {
		d.header()
		d.original(f, f.status(len(refused)), f.Refused, func() {
			if f.Refused == nil && len(refused) > 0 {
				d.perStatus(f, refused)
			}
		})
		if f.Refused != nil {
			return
		}
		if len(f.Groups) == 0 {
			d.groupOfItems(a, refused)
		}
		for _, g := range half(a, f.Groups) {
			d.group(g, refused)
		}
		d.strange()
	})
}

func (f *file) status(refused int) string {
	switch {
	case f.Refused != nil:
		return "RJCT"
	case refused > 0:
		return "PART"
	case strings.HasPrefix(f.Message, "pain.009"), strings.HasPrefix(f.Message, "pain.011"):
		return "ACTC"
	}
	return "ACCP"
}

func (f *file) refusedOrders() (out []*order) {
	for _, o := range f.Orders {
		if o.Refused != nil || o.Kind == recall && !o.Done {
			out = append(out, o)
		}
	}
	return out
}

func (d *document) perStatus(f *file, refused []*order) {
	var cents int64
	for _, o := range refused {
		cents += o.Cents
	}
	tell := func(count int, status string, cents int64) {
		if has(d.a.As, WrongTotals) {
			count, cents = count+1, cents+1
		}
		d.in("NbOfTxsPerSts", func() {
			d.number("DtldNbOfTxs", count)
			d.text("DtldSts", status)
			d.text("DtldCtrlSum", rands(cents))
		})
	}
	if n := f.Count - len(refused); n > 0 {
		tell(n, "ACCP", f.Cents-cents)
	}
	tell(len(refused), "RJCT", cents)
}

func (d *document) group(g group, refused []*order) {
	var items []*order
	for _, o := range refused {
		if o.Group == g.ID {
			items = append(items, o)
		}
	}
	d.in("OrgnlPmtInfAndSts", func() {
		d.text("OrgnlPmtInfId", cut(g.ID))
		d.number("OrgnlNbOfTxs", g.Count)
		d.text("OrgnlCtrlSum", rands(g.Cents))
		switch {
		case g.Refused != nil:
			d.text("PmtInfSts", "RJCT")
			d.why("StsRsnInf", "AddtlInf", *g.Refused)
			return
		case len(items) > 0:
			d.text("PmtInfSts", "PART")
		default:
			d.text("PmtInfSts", "ACCP")
		}
		for _, o := range items {
			d.refusedItem(o)
		}
	})
}

// groupOfItems is for messages without groups, such as mandate requests.
func (d *document) groupOfItems(a *answer, refused []*order) {
	if refused = half(a, refused); len(refused) == 0 {
		return
	}
	d.in("OrgnlPmtInfAndSts", func() {
		d.text("OrgnlPmtInfId", "NOTPROVIDED")
		for _, o := range refused {
			d.refusedItem(o)
		}
	})
}

func (d *document) refusedItem(o *order) {
	if o.Kind == recall && o.Refused == nil {
		why := tooLate(o)
		if o.file.reverses() {
			o = o.reversal()
		}
		d.item(o, "RJCT", why)
		return
	}
	d.item(o, "RJCT", o.Refused)
}

func (d *document) item(o *order, status string, why *reason) {
	d.in("TxInfAndSts", func() {
		d.text("StsId", fmt.Sprintf("%06d-%d", d.a.Number, o.number))
		d.text("OrgnlInstrId", cut(o.ID))
		d.text("OrgnlEndToEndId", cut(o.EndToEnd))
		d.text("TxSts", status)
		if why != nil {
			d.why("StsRsnInf", "AddtlInf", *why)
		}
		if status != "RJCT" {
			d.text("AccptncDtTm", d.made())
		}
	})
}

// strange speaks of an item that nobody sent, where the bank is told to.
func (d *document) strange() {
	if !has(d.a.As, UnknownIDs) {
		return
	}
	d.in("OrgnlPmtInfAndSts", func() {
		d.text("OrgnlPmtInfId", "UNKNOWN-01")
		d.item(&order{ID: unknownID, EndToEnd: unknownID}, "RJCT", &reason{Code: "AM04", Text: "02 NOT PROVIDED FOR"})
	})
}

// told is one event of one order.
type told struct {
	order *order
	event event
}

// events are those of a message at one moment.
func (b *Bank) events(a *answer, fits func(event) bool) (out []told) {
	for _, o := range b.files[a.Key.File-1].Orders {
		for _, e := range o.Plan {
			if stamp(e.At) == a.Key.At && fits(e) && o.happens(e, e.At) {
				out = append(out, told{o, e})
			}
		}
	}
	return out
}

// statuses is a later report: what became of single items.
func (b *Bank) statuses(d *document, a *answer) {
	f := b.files[a.Key.File-1]
	all := half(a, b.events(a, func(e event) bool { return e.Status != "" }))
	d.in("CstmrPmtStsRpt", func() {
		d.header()
		d.original(f, "", nil, func() {})
		for len(all) > 0 {
			n := 1
			for n < len(all) && all[n].order.Group == all[0].order.Group {
				n++
			}
			d.in("OrgnlPmtInfAndSts", func() {
				d.text("OrgnlPmtInfId", cut(all[0].order.Group))
				for _, t := range all[:n] {
					d.item(t.order, t.event.Status, t.event.Code)
				}
			})
			all = all[n:]
		}
		d.strange()
	})
}
