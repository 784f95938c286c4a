package iso20022

import (
	"fmt"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
)

// debits writes the body of pain.008.
func (e *Encoder) debits(d *document, m exchange.Outgoing) {
	e.header(d, m, true)
	for _, g := range m.Groups {
		d.block("PmtInf", func() {
			service, shared := e.serviceOf(g)
			e.group(d, g, "DD")
			if shared {
				e.paymentType(d, service, string(g.Sequence))
			}
			d.line(date(g.ActionDate), "ReqdColltnDt")
			e.creditor(d, g.Creditor, "Cdtr", "CdtrAcct", "CdtrAgt")
			e.scheme(d, g.Creditor)
			for n, i := range g.Items {
				d.row("DrctDbtTxInf", func() {
					in := *i.Order.Debit
					e.ids(d, m.Name, id32(in.ID), uetr(in.ID), e.endToEnd(id32(in.ID), in.StatementLine, g.ID, n))
					if !shared {
						e.paymentType(d, e.service(in), string(g.Sequence))
					}
					e.debit(d, m.Name, in)
				})
			}
		})
	}
}

// service is what the bank calls the service of a debit.
func (e *Encoder) service(in bank.Instruction) Service {
	if in.Method == bank.DebiCheck && in.Disputable && e.d.Registered != (Service{}) {
		return e.d.Registered
	}
	return e.d.Services[in.Method]
}

// serviceOf is the service that all debits of a group share. Where they do not, each says its own: the schemas allow it
// in one of the two places.
func (e *Encoder) serviceOf(g exchange.Group) (s Service, shared bool) {
	for n, i := range g.Items {
		one := e.service(*i.Order.Debit)
		if n > 0 && one != s {
			return Service{}, false
		}
		s = one
	}
	return s, true
}

func (e *Encoder) debit(d *document, form string, in bank.Instruction) {
	d.amount(in.AmountCents, in.Currency, "InstdAmt")
	d.within("DrctDbtTx", func() {
		d.within("MndtRltdInf", func() {
			d.text(mandateOf(in), "MndtId")
			d.text(date(in.MandateDate), "DtOfSgntr")
			if in.Method == bank.DebiCheck && !Old(form) {
				d.text(two(in.TrackingDays), "TrckgDays")
			}
		})
	})
	e.payer(d, "Dbtr", in.Branch, in.HolderName, in.Account, in.AccountType, in.Currency)
	e.remittance(d, in.StatementLine)
}

// mandateOf is how the payer's bank knows the mandate: by its own reference where it gave one, else by ours.
func mandateOf(in bank.Instruction) string {
	if in.MandateReference != "" {
		return in.MandateReference
	}
	return in.ContractReference
}

// refunds writes the body of pain.001.
func (e *Encoder) refunds(d *document, m exchange.Outgoing) {
	e.header(d, m, true)
	for _, g := range m.Groups {
		d.block("PmtInf", func() {
			e.group(d, g, "TRF")
			e.paymentType(d, e.d.RefundService, "")
			day := g.ActionDate
			if day.IsZero() {
				day = calendar.DateOf(m.MadeAt)
			}
			if Old(m.Name) {
				d.line(date(day), "ReqdExctnDt")
			} else {
				d.line(date(day), "ReqdExctnDt", "Dt")
			}
			e.creditor(d, g.Creditor, "Dbtr", "DbtrAcct", "DbtrAgt")
			for n, i := range g.Items {
				d.row("CdtTrfTxInf", func() { e.refund(d, m.Name, g.ID, n, *i.Order.Refund) })
			}
		})
	}
}

func (e *Encoder) refund(d *document, form, group string, n int, r bank.Refund) {
	e.ids(d, form, id32(r.ID), uetr(r.ID), e.endToEnd(id32(r.ID), r.StatementLine, group, n))
	d.within("Amt", func() { d.amount(r.AmountCents, r.Currency, "InstdAmt") })
	e.payer(d, "Cdtr", r.Branch, r.HolderName, r.Account, r.AccountType, r.Currency)
	d.text("REFU", "Purp", "Cd")
	e.remittance(d, r.StatementLine)
}

func (e *Encoder) ids(d *document, form, id, unique, endToEnd string) {
	d.within("PmtId", func() {
		d.text(id, "InstrId")
		d.text(endToEnd, "EndToEndId")
		if e.d.UETR && !Old(form) {
			d.text(unique, "UETR")
		}
	})
}

func (e *Encoder) endToEnd(id, line, group string, n int) string {
	switch e.d.EndToEnd {
	case ByLine:
		return Columns(line)
	case ByPosition:
		return fmt.Sprintf("%s-%06d", group, n+1)
	default:
		return id
	}
}

// payer writes the other side, under the names of the message.
func (e *Encoder) payer(d *document, party, branch, name string, account bank.AccountNumber, kind bank.AccountType,
	currency string) {
	d.within(party+"Agt", func() { e.agent(d, branch) })
	d.within(party, func() { d.text(e.name(name), "Nm") })
	d.within(party+"Acct", func() { e.account(d, account.Reveal(), e.d.AccountTypes[kind], currency) })
}

func (e *Encoder) remittance(d *document, line string) {
	if e.d.StatementLineAt == Remittance {
		d.text(Columns(line), "RmtInf", "Ustrd")
	}
}
