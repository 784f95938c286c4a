package iso20022

import (
	"slices"
	"strconv"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
)

// The parts that several messages have.

// header writes the group header. Totals stand in those of payments alone.
func (e *Encoder) header(d *document, m exchange.Outgoing, totals bool) {
	d.block("GrpHdr", func() {
		d.line(m.ID, "MsgId")
		d.line(e.moment(m.MadeAt), "CreDtTm")
		if totals {
			d.line(strconv.Itoa(m.Count), "NbOfTxs")
			d.line(decimal(m.SumCents), "CtrlSum")
		}
		d.row("InitgPty", func() { e.initiator(d, m) })
	})
}

// initiator is who sends.
func (e *Encoder) initiator(d *document, m exchange.Outgoing) {
	c := m.Groups[0].Creditor
	d.text(e.sender(c), "Nm")
	d.within("Id", func() {
		d.within("OrgId", func() {
			d.text(e.d.PartyID, "Othr", "Id")
			if e.d.UserCodeAt == Initiator {
				d.text(c.ProfileCode, "Othr", "Id")
			}
		})
	})
}

// sender is the name of who sends.
func (e *Encoder) sender(c bank.Creditor) string {
	if e.d.PartyName != "" {
		return e.name(e.d.PartyName)
	}
	return e.name(c.Name)
}

// group begins a group of payments, up to its type.
func (e *Encoder) group(d *document, g exchange.Group, method string) {
	d.line(g.ID, "PmtInfId")
	d.line(method, "PmtMtd")
	d.line(strconv.FormatBool(e.d.BatchBooking), "BtchBookg")
	d.line(strconv.Itoa(g.Count), "NbOfTxs")
	d.line(decimal(g.SumCents), "CtrlSum")
}

// paymentType writes the service and where a debit stands among those of its mandate.
func (e *Encoder) paymentType(d *document, s Service, sequence string) {
	d.row("PmtTpInf", func() {
		e.serviceNames(d, s)
		d.text(sequence, "SeqTp")
	})
}

func (e *Encoder) serviceNames(d *document, s Service) {
	tag, text := coded(s.ServiceLevel, "Prtry")
	d.text(text, "SvcLvl", tag)
	tag, text = coded(s.LocalInstrument, "Prtry")
	d.text(text, "LclInstrm", tag)
}

// creditor writes the merchant's side under the names of the message: in a refund the merchant is the debtor.
func (e *Encoder) creditor(d *document, c bank.Creditor, party, account, agent string) {
	d.row(party, func() {
		d.text(e.name(c.Name), "Nm")
		if e.d.UserCodeAt == CreditorID {
			d.text(c.ProfileCode, "Id", "OrgId", "Othr", "Id")
		}
	})
	d.row(account, func() { e.account(d, c.Account, e.d.CreditorAccountType, "ZAR") })
	d.row(agent, func() { e.agent(d, c.Branch) })
}

// scheme writes how the bank knows the merchant as a creditor.
func (e *Encoder) scheme(d *document, c bank.Creditor) {
	one := func(at Place, id, what string) {
		if at == CreditorScheme && id != "" {
			d.within("Othr", func() {
				d.text(id, "Id")
				d.text(what, "SchmeNm", "Prtry")
			})
		}
	}
	d.row("CdtrSchmeId", func() {
		d.within("Id", func() {
			d.within("PrvtId", func() {
				one(e.d.UserCodeAt, c.ProfileCode, "USER-CODE")
				one(e.d.AbbreviatedNameAt, Plain(c.AbbreviatedName), "ABBREVIATED-NAME")
			})
		})
	})
}

// account writes the content of an account.
func (e *Encoder) account(d *document, number, kind, currency string) {
	d.within("Id", func() {
		d.within("Othr", func() {
			d.text(number, "Id")
			d.text(e.d.AccountScheme, "SchmeNm", "Cd")
		})
	})
	tag, text := coded(kind, "Cd")
	if tag == "Cd" && published[d.allowed.form] < openAccountTypes && !slices.Contains(codesOf("accountTypes"), text) {
		tag = "Prtry"
	}
	d.text(text, "Tp", tag)
	d.text(currency, "Ccy")
}

// openAccountTypes is the year from which a form takes any code of the external list as an account type. In older ones
// the codes are a closed list, and others stand there as the bank's own.
const openAccountTypes = 2013

// agent writes the content of a bank. One without a branch is said to be unknown, as is usual.
func (e *Encoder) agent(d *document, branch string) {
	d.within("FinInstnId", func() {
		if branch == "" {
			branch = e.d.CreditorBranch
		}
		if branch == "" {
			d.text("NOTPROVIDED", "Othr", "Id")
			return
		}
		d.within("ClrSysMmbId", func() {
			d.text(e.d.BranchScheme, "ClrSysId", "Cd")
			d.text(branch, "MmbId")
		})
	})
}
