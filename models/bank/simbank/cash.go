package simbank

import (
	"fmt"
	"slices"

	"debitdesk/models/calendar"
)

// notification is the camt.054 with what was returned to one account at one moment.
func (b *Bank) notification(d *document, a *answer) {
	var all []Entry
	for _, e := range b.entries(a.At) {
		if e.event.Notify && e.Account == a.Key.Account && stamp(e.At) == a.Key.At && !e.order.file.Silent {
			all = append(all, e)
		}
	}
	all = half(a, all)
	d.in("BkToCstmrDbtCdtNtfctn", func() {
		d.header()
		d.in("Ntfctn", func() {
			d.begin(a.Key.Account)
			for i, e := range all {
				d.entry(i+1, []Entry{e}, true)
			}
			if has(a.As, UnknownIDs) {
				d.entry(len(all)+1, []Entry{b.strangeEntry(a)}, true)
			}
		})
	})
}

func (b *Bank) strangeEntry(a *answer) Entry {
	why := returned("02")
	return Entry{Day: calendar.DateOf(a.At), At: a.At, Account: a.Key.Account, Cents: -123, What: "returned",
		ID:       unknownID,
		EndToEnd: unknownID, Group: "UNKNOWN-01", order: &order{Kind: debit}, event: event{Code: &why}}
}

func (d *document) begin(account string) {
	d.text("Id", d.id())
	d.number("ElctrncSeqNb", d.a.Number)
	d.text("CreDtTm", d.made())
	d.in("Acct", func() {
		d.text("Id/Othr/Id", account)
		d.text("Ccy", "ZAR")
	})
}

// statement is the camt.053 of one day and account. Its entries explain the difference of its balances.
func (b *Bank) statement(d *document, a *answer) {
	day, err := calendar.ParseDate(a.Key.At)
	if err != nil {
		d.err = err
		return
	}
	var opening int64
	var today []Entry
	for _, e := range b.entries(a.At) {
		switch {
		case e.Account != a.Key.Account || e.Day.After(day):
		case e.Day.Before(day):
			opening += e.Cents
		default:
			today = append(today, e)
		}
	}
	booked := b.booked(today)
	if a.Part == 2 {
		opening += sum(slices.Concat(half(&answer{Part: 1}, booked)...))
	}
	booked = half(a, booked)
	closing := opening + sum(slices.Concat(booked...))
	if has(a.As, WrongTotals) {
		closing += 100
	}
	d.in("BkToCstmrStmt", func() {
		d.header()
		d.in("Stmt", func() {
			d.begin(a.Key.Account)
			d.balance("OPBD", opening, day)
			d.balance("CLBD", closing, day)
			for i, entries := range booked {
				d.entry(i+1, entries, b.single(entries[0]))
			}
		})
	})
}

func sum(all []Entry) (cents int64) {
	for _, e := range all {
		cents += e.Cents
	}
	return cents
}

// booked puts the entries of a group that is booked as a whole together.
func (b *Bank) booked(all []Entry) (out [][]Entry) {
	at := map[string]int{}
	for _, e := range all {
		if b.single(e) {
			out = append(out, []Entry{e})
			continue
		}
		k := e.Message + " " + e.Group + " " + stamp(e.At)
		if i, found := at[k]; found {
			out[i] = append(out[i], e)
			continue
		}
		at[k] = len(out)
		out = append(out, []Entry{e})
	}
	return out
}

func (d *document) balance(which string, cents int64, day calendar.Date) {
	d.in("Bal", func() {
		d.text("Tp/CdOrPrtry/Cd", which)
		d.amount("Amt", cents)
		d.direction(cents)
		d.day("Dt", day)
	})
}

// old tells whether the message is of a version in which the status of an entry is a plain text.
func (d *document) old() bool { return d.a.Form[len(d.a.Form)-2:] < "07" }

func (d *document) entry(n int, all []Entry, details bool) {
	first, cents := all[0], sum(all)
	if has(d.a.As, WrongTotals) {
		cents += sign(cents) * 100
	}
	d.in("Ntry", func() {
		d.number("NtryRef", n)
		d.amount("Amt", cents)
		d.direction(cents)
		if first.What == "returned" {
			d.text("RvslInd", "true")
		}
		if d.old() {
			d.text("Sts", "BOOK")
		} else {
			d.text("Sts/Cd", "BOOK")
		}
		d.day("BookgDt", first.Day)
		d.day("ValDt", first.Day)
		d.text("AcctSvcrRef", d.reference(first))
		d.in("BkTxCd/Domn", func() {
			family := map[string][2]string{"collected": {"IDDT", "ESDD"}, "returned": {"IDDT", "UPDD"},
				"refunded": {"ICDT", "ESCT"}}[first.What]
			d.text("Cd", "PMNT")
			d.in("Fmly", func() {
				d.text("Cd", family[0])
				d.text("SubFmlyCd", family[1])
			})
		})
		d.in("NtryDtls", func() {
			if details {
				d.details(first)
				return
			}
			d.in("Btch", func() {
				d.text("MsgId", cut(first.Message))
				d.text("PmtInfId", cut(first.Group))
				d.number("NbOfTxs", len(all))
				d.amount("TtlAmt", cents)
				d.direction(cents)
			})
		})
	})
}

func sign(cents int64) int64 {
	if cents < 0 {
		return -1
	}
	return 1
}

// reference is the bank's own of an entry, the same in every message, unless the bank is told otherwise.
func (d *document) reference(e Entry) string {
	text := fmt.Sprintf("SB%s-%07d", local(e.At, "060102"), e.order.number)
	if has(d.a.As, ReturnTwice) && d.a.Key.About == "statement" {
		text += "-ST"
	}
	return text
}

func (d *document) details(e Entry) {
	d.in("TxDtls", func() {
		d.in("Refs", func() {
			d.text("MsgId", cut(e.Message))
			d.text("AcctSvcrRef", d.reference(e))
			d.text("PmtInfId", cut(e.Group))
			d.text("InstrId", cut(e.ID))
			d.text("EndToEndId", cut(e.EndToEnd))
		})
		if d.a.Form[len(d.a.Form)-2:] < "04" {
			d.in("AmtDtls/TxAmt", func() { d.amount("Amt", e.Cents) })
		} else {
			d.amount("Amt", e.Cents)
			d.direction(e.Cents)
		}
		if e.order.Account != "" {
			party := "DbtrAcct"
			if e.order.Kind == refund {
				party = "CdtrAcct"
			}
			d.text("RltdPties/"+party+"/Id/Othr/Id", e.order.Account)
		}
		if e.event.Code != nil {
			d.why("RtrInf", "AddtlInf", *e.event.Code)
		}
	})
}
