package iso20022

import (
	"slices"
	"strconv"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
)

// classes is how the schema calls the value types, and units how it calls periods.
var (
	classes = map[string]string{"FIXED": "FIXE", "VARIABLE": "VARI", "USAGEBASED": "USGB"}
	units   = map[string]string{"months": "MNTH", "weeks": "WEEK", "days": "DAIL"}
)

// onceOff is a mandate for one debit alone.
const onceOff = "OOFF"

// mandates writes the body of pain.009.
func (e *Encoder) mandates(d *document, m exchange.Outgoing) {
	e.header(d, m, false)
	for _, g := range m.Groups {
		for _, i := range g.Items {
			d.block("Mndt", func() { e.mandate(d, *i.Order.Request) })
		}
	}
}

func (e *Encoder) mandate(d *document, r bank.MandateRequest) {
	d.line(id32(r.ID), "MndtReqId")
	tag, text := coded(e.d.Channels[r.Authentication], "Prtry")
	d.line(text, "Authntcn", "Chanl", tag)
	d.row("Tp", func() {
		e.serviceNames(d, e.d.Services[bank.DebiCheck])
		d.text(classes[r.ValueType], "Clssfctn", "Cd")
	})
	d.row("Ocrncs", func() {
		d.text(r.DebitSequence, "SeqTp")
		frequency(d, r)
		d.text(date(r.FirstDate), "FrstColltnDt")
	})
	d.line(strconv.FormatBool(r.Tracking), "TrckgInd")
	d.amountLine(r.AmountCents, r.Currency, "ColltnAmt")
	d.amountLine(r.MaxAmountCents, r.Currency, "MaxAmt")
	d.line(strconv.FormatBool(r.DateAdjustment), "Adjstmnt", "DtAdjstmntRuleInd")
	c := creditorOf(r)
	e.scheme(d, c)
	e.creditor(d, c, "Cdtr", "CdtrAcct", "CdtrAgt")
	d.row("Dbtr", func() {
		d.text(e.name(r.HolderName), "Nm")
		if r.Identity != "" {
			d.within("Id", func() {
				d.within("PrvtId", func() {
					d.within("Othr", func() {
						d.text(r.Identity.Reveal(), "Id")
						d.text(identityScheme(r.Identity), "SchmeNm", "Cd")
					})
				})
			})
		}
		d.text(phone(r.Phone), "CtctDtls", "MobNb")
	})
	d.row("DbtrAcct", func() { e.account(d, r.Account.Reveal(), e.d.AccountTypes[r.AccountType], r.Currency) })
	d.row("DbtrAgt", func() { e.agent(d, r.Branch) })
	d.line(r.ContractReference, "MndtRef")
}

// creditorOf is the merchant's side of a mandate request.
func creditorOf(r bank.MandateRequest) bank.Creditor {
	c := r.Creditor
	if c.AbbreviatedName == "" {
		c.AbbreviatedName = r.AbbreviatedName
	}
	if c.Account == "" {
		c.Account = r.CreditorAccount
	}
	return c
}

// frequency writes how often and on which day debits run. Day 99 is the last of the month.
func frequency(d *document, r bank.MandateRequest) {
	switch unit := units[r.PeriodUnits]; {
	case r.DebitSequence == onceOff || unit == "":
	case r.DeductionDay == 0:
		d.text(unit, "Frqcy", "Tp")
	default:
		d.within("Frqcy", func() {
			d.within("PtInTm", func() {
				d.text(unit, "Tp")
				d.text(two(r.DeductionDay), "PtInTm")
			})
		})
	}
}

// identityScheme is NIDN for the 13 digits of a South African identity number, CCPT for a passport.
func identityScheme(n bank.IDNumber) string {
	if len(n) == 13 && digits(n.Reveal()) {
		return "NIDN"
	}
	return "CCPT"
}

// countryCodes are the telephone codes of two digits. Those of one digit are 1 and 7; all others have three.
var countryCodes = strings.Fields(`20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58
	60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98`)

// phone writes a number as the schema asks: +27-821234567. It is empty for what is no such number.
func phone(number string) string {
	number = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -()", r) {
			return -1
		}
		return r
	}, number)
	if local, is := strings.CutPrefix(number, "0"); is && len(number) == 10 {
		number = "+27" + local
	}
	number, is := strings.CutPrefix(number, "+")
	if !is || !digits(number) || len(number) < 7 || len(number) > 15 {
		return ""
	}
	code := 3
	switch {
	case number[0] == '1' || number[0] == '7':
		code = 1
	case slices.Contains(countryCodes, number[:2]):
		code = 2
	}
	return "+" + number[:code] + "-" + number[code:]
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// cancellations writes the body of pain.011. A mandate that was not accepted yet is named by its request.
func (e *Encoder) cancellations(d *document, m exchange.Outgoing) {
	e.header(d, m, false)
	for _, g := range m.Groups {
		for _, i := range g.Items {
			d.block("UndrlygCxlDtls", func() { e.cancellation(d, *i.Order.Cancel) })
		}
	}
}

func (e *Encoder) cancellation(d *document, c exchange.Cancellation) {
	d.row("OrgnlMsgInf", func() {
		d.text(c.MessageID, "MsgId")
		d.text(c.MessageName, "MsgNmId")
	})
	tag, text := coded(e.d.CancelReason, "Cd")
	d.line(text, "CxlRsn", "Rsn", tag)
	reference := c.Reference
	if reference == "" {
		reference = id32(c.RequestID)
	}
	d.line(reference, "OrgnlMndt", "OrgnlMndtId")
}
