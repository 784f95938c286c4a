package simbank

import (
	"strconv"
	"strings"
)

// tooLate says why a recall is refused.
func tooLate(o *order) *reason {
	if o.Target == 0 {
		return &reason{Code: "NOOR", Text: "no original transaction received"}
	}
	return &reason{Code: "TOOLATE", Own: true, Text: "the day of the debit has come"}
}

// recallAnswers is the camt.029 about a message of recalls.
func (b *Bank) recallAnswers(d *document, a *answer) {
	f := b.files[a.Key.File-1]
	orders := half(a, f.Orders)
	done := 0
	for _, o := range orders {
		if o.Done {
			done++
		}
	}
	status := "PECR"
	switch done {
	case 0:
		status = "RJCR"
	case len(orders):
		status = "CNCL"
	}
	party := func(name string) func() { return func() { d.text("Pty/Nm", name) } }
	d.in("RsltnOfInvstgtn", func() {
		d.in("Assgnmt", func() {
			d.text("Id", d.id())
			d.in("Assgnr", party("SIMULATED BANK"))
			d.in("Assgne", party("CUSTOMER"))
			d.text("CreDtTm", d.made())
		})
		d.text("Sts/Conf", status)
		d.in("CxlDtls", func() {
			d.in("OrgnlGrpInfAndSts", func() {
				d.text("OrgnlGrpCxlId", cut(f.ID))
				d.text("OrgnlMsgId", cut(f.ID))
				d.text("OrgnlMsgNmId", f.Message)
			})
			for _, o := range orders {
				b.recallAnswer(d, o)
			}
			if has(a.As, UnknownIDs) {
				b.recallAnswer(d, &order{ID: unknownID, Of: unknownID, EndToEnd: unknownID, Group: "UNKNOWN-01", Done: true})
			}
		})
	})
}

func (b *Bank) recallAnswer(d *document, o *order) {
	d.in("OrgnlPmtInfAndSts", func() {
		d.text("OrgnlPmtInfId", cut(firstOf(o.Group, "NOTPROVIDED")))
		if o.Target > 0 {
			d.in("OrgnlGrpInf", func() {
				d.text("OrgnlMsgId", cut(b.orders[o.Target-1].file.ID))
				d.text("OrgnlMsgNmId", b.orders[o.Target-1].file.Message)
			})
		}
		d.in("TxInfAndSts", func() {
			d.text("CxlStsId", cut(firstOf(o.ID, strconv.Itoa(o.number))))
			d.text("OrgnlInstrId", cut(o.Of))
			d.text("OrgnlEndToEndId", cut(o.EndToEnd))
			switch {
			case o.Refused != nil:
				d.text("TxCxlSts", "RJCR")
				d.why("CxlStsRsnInf", "AddtlInf", *o.Refused)
			case o.Done:
				d.text("TxCxlSts", "ACCR")
			default:
				d.text("TxCxlSts", "RJCR")
				d.why("CxlStsRsnInf", "AddtlInf", *tooLate(o))
			}
			if o.Cents > 0 {
				d.amount("OrgnlInstdAmt", o.Cents)
			}
		})
	})
}

// cancelled is a status report about debits of one message that were withdrawn.
func (b *Bank) cancelled(d *document, a *answer) {
	of := b.files[a.Key.File-1]
	d.in("CstmrPmtStsRpt", func() {
		d.header()
		d.original(of, "", nil, func() {})
		for _, o := range b.orders {
			if o.Kind != recall || !o.Done || stamp(o.file.At) != a.Key.At {
				continue
			}
			if target := b.orders[o.Target-1]; target.file == of {
				d.in("OrgnlPmtInfAndSts", func() {
					d.text("OrgnlPmtInfId", cut(target.Group))
					d.item(target, "CANC", nil)
				})
			}
		}
	})
}

// reverses tells that a message recalls debits as reversals. They are answered by status reports.
func (f *file) reverses() bool { return strings.HasPrefix(f.Message, "pain.007") }

// reversed is a status report about the debits of a message that were reversed. It names them, not the reversals.
func (b *Bank) reversed(d *document, a *answer) {
	f := b.files[a.Key.File-1]
	d.in("CstmrPmtStsRpt", func() {
		d.header()
		d.original(f, "", nil, func() {})
		for _, o := range f.Orders {
			if o.Done {
				d.in("OrgnlPmtInfAndSts", func() {
					d.text("OrgnlPmtInfId", cut(o.Group))
					d.item(o.reversal(), "ACSC", nil)
				})
			}
		}
	})
}

// reversal is an order as the answers to reversals name it: by its debit.
func (o *order) reversal() *order {
	named := *o
	named.ID = o.Of
	return &named
}
