package iso20022

import (
	"strconv"

	"debitdesk/models/bank/exchange"
)

// recalls writes the body of camt.055. The debits stand under the groups in which they left.
func (e *Encoder) recalls(d *document, m exchange.Outgoing) {
	c := m.Groups[0].Creditor
	d.block("Assgnmt", func() {
		d.line(m.ID, "Id")
		d.row("Assgnr", func() { d.within("Pty", func() { e.initiator(d, m) }) })
		d.row("Assgne", func() { d.within("Agt", func() { e.agent(d, c.Branch) }) })
		d.line(e.moment(m.MadeAt), "CreDtTm")
	})
	d.block("CtrlData", func() {
		d.line(strconv.Itoa(m.Count), "NbOfTxs")
		d.line(decimal(m.SumCents), "CtrlSum")
	})
	d.block("Undrlyg", func() {
		for _, left := range byGroup(m) {
			d.block("OrgnlPmtInfAndCxl", func() {
				d.line(left[0].GroupID, "OrgnlPmtInfId")
				d.row("OrgnlGrpInf", func() {
					d.text(left[0].MessageID, "OrgnlMsgId")
					d.text(left[0].MessageName, "OrgnlMsgNmId")
				})
				for _, r := range left {
					d.row("TxInf", func() { e.recall(d, r) })
				}
			})
		}
	})
}

func (e *Encoder) recall(d *document, r *exchange.Recall) {
	d.text(id32(r.ID), "CxlId")
	d.text(id32(r.DebitID), "OrgnlInstrId")
	if e.d.EndToEnd == ByID {
		d.text(id32(r.DebitID), "OrgnlEndToEndId")
	}
	d.amount(r.AmountCents, r.Currency, "OrgnlInstdAmt")
	d.text(date(r.ActionDate), "OrgnlReqdColltnDt")
	tag, text := coded(e.d.RecallReason, "Cd")
	d.text(text, "CxlRsnInf", "Rsn", tag)
}

// byGroup puts recalls together by the group in which their debits left, in the order in which each comes first.
func byGroup(m exchange.Outgoing) (groups [][]*exchange.Recall) {
	type left struct{ message, group string }
	at := map[left]int{}
	for _, g := range m.Groups {
		for _, i := range g.Items {
			r := i.Order.Recall
			n, known := at[left{r.MessageID, r.GroupID}]
			if !known {
				n = len(groups)
				at[left{r.MessageID, r.GroupID}] = n
				groups = append(groups, nil)
			}
			groups[n] = append(groups[n], r)
		}
	}
	return groups
}

// reversals writes the body of pain.007, by which some banks take recalls. Its debits left in one message.
func (e *Encoder) reversals(d *document, m exchange.Outgoing) {
	e.header(d, m, true)
	groups := byGroup(m)
	d.row("OrgnlGrpInf", func() {
		d.text(groups[0][0].MessageID, "OrgnlMsgId")
		d.text(groups[0][0].MessageName, "OrgnlMsgNmId")
	})
	for _, left := range groups {
		d.block("OrgnlPmtInfAndRvsl", func() {
			d.line(left[0].GroupID, "OrgnlPmtInfId")
			for _, r := range left {
				d.row("TxInf", func() { e.reversal(d, r) })
			}
		})
	}
}

func (e *Encoder) reversal(d *document, r *exchange.Recall) {
	d.text(id32(r.ID), "RvslId")
	d.text(id32(r.DebitID), "OrgnlInstrId")
	if e.d.EndToEnd == ByID {
		d.text(id32(r.DebitID), "OrgnlEndToEndId")
	}
	d.amount(r.AmountCents, r.Currency, "OrgnlInstdAmt")
	d.amount(r.AmountCents, r.Currency, "RvsdInstdAmt")
	tag, text := coded(e.d.RecallReason, "Cd")
	d.text(text, "RvslRsnInf", "Rsn", tag)
	d.text(date(r.ActionDate), "OrgnlTxRef", "ReqdColltnDt")
}

// byMessage are the messages in which the debits of recalls left.
func byMessage(m exchange.Outgoing) map[string]bool {
	messages := map[string]bool{}
	for _, g := range m.Groups {
		for _, i := range g.Items {
			if r := i.Order.Recall; r != nil {
				messages[r.MessageID] = true
			}
		}
	}
	return messages
}
