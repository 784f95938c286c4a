package iso20022

import (
	"cmp"
	"fmt"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
)

var (
	accountFields = names("Id", "ElctrncSeqNb", "LglSeqNb", "CreDtTm", "FrToDt", "StmtPgntn", "RptPgntn", "NtfctnPgntn")
	entryFields   = names("NtryRef", "Amt", "CdtDbtInd", "RvslInd", "Sts", "BookgDt", "ValDt", "AcctSvcrRef", "BkTxCd",
		"AmtDtls", "Chrgs", "AddtlNtryInf")
	detailsFields = names("Btch")
)

// accounts gives the reader of camt.052, .053 and .054, which differ in the name of what each account has.
func accounts(holder string) func(*reader) error {
	return func(rd *reader) error {
		a := &account{reader: rd}
		return rd.children(func(name string) error {
			switch name {
			case "GrpHdr":
				n, err := rd.tree(name, newBudget())
				if err == nil {
					rd.header(n)
					a.paged = isPaged(n.at("MsgPgntn"))
				}
				return err
			case holder:
				return a.read(holder)
			}
			return rd.skip()
		})
	}
}

// isPaged tells that what is read is one page of several.
func isPaged(n *node) bool {
	return n != nil && (n.words("PgNb") != "1" || !isTrue(n.words("LastPgInd")))
}

// account is a document about accounts: statements, reports or notifications.
type account struct {
	*reader
	paged      bool // the document is one page of several
	statements int
	entries    int // over all statements, so that the paths are short
	statement
}

// statement is what is known of the one that is read.
type statement struct {
	of               exchange.Event // what all events of it have in common
	from, until      calendar.Date  // the days that it is about; the day on which it was made where it does not say
	holds            string         // the currency of the account
	balances         int
	count            int
	net              total
	currency         string // of what was added up
	opening, closing *exchange.Event
}

// add counts money of the statement, and notes when it cannot be added up.
func (s *statement) add(e exchange.Event) {
	switch {
	case !e.HasAmount || s.currency != "" && s.currency != e.Currency:
		s.net.broke = true
	case e.Credit:
		s.net.add(e.AmountCents)
	default:
		s.net.add(-e.AmountCents)
	}
	s.currency = cmp.Or(s.currency, e.Currency)
}

func (a *account) read(holder string) error {
	a.statements++
	a.statement = statement{}
	a.of.Told = tellings[holder]
	n := &node{name: holder}
	err := a.collect(n, accountFields, map[string]func() error{
		"Acct": func() error { return a.number() },
		"Bal":  func() error { a.identify(n); return a.balance() },
		"Ntry": func() error { a.identify(n); return a.entry() },
	})
	if err != nil {
		return err
	}
	a.identify(n)
	e := a.of
	e.Kind, e.Path, e.Currency = exchange.OnStatement, fmt.Sprintf("s%d", a.statements), a.currency
	e.From, e.Until = a.about(n)
	e.HasCount, e.Count, e.HasSum, e.SumCents = true, a.count, !a.net.broke, a.net.cents
	e.Raw = evidence(n)
	if !a.paged && !isPaged(n.at("StmtPgntn")) && !isPaged(n.at("RptPgntn")) {
		a.compare(&e)
	}
	return a.say(e)
}

// about are the days that a statement is about: those that it names, or that of its closing balance.
func (a *account) about(n *node) (from, until calendar.Date) {
	from, until = dayOf(n.words("FrToDt", "FrDtTm")), dayOf(n.words("FrToDt", "ToDtTm"))
	if until.IsZero() && a.closing != nil {
		until = a.closing.BookedOn
	}
	if from.IsZero() {
		from = until
	}
	return from, until
}

// identify takes what the statement says of itself so far.
func (a *account) identify(n *node) {
	a.of.StatementID = n.id("Id")
	for _, text := range []string{n.words("ElctrncSeqNb"), n.words("LglSeqNb")} {
		if number, ok := parseCount(text); ok {
			a.of.Number = number
			break
		}
	}
	a.from, a.until = dayOf(n.words("FrToDt", "FrDtTm")), dayOf(n.words("FrToDt", "ToDtTm"))
	if at, ok := parseTime(n.words("CreDtTm")); ok {
		a.of.At = at
		if a.until.IsZero() {
			a.until = dayOf(n.words("CreDtTm"))
		}
	}
	if a.from.IsZero() {
		a.from = a.until
	}
}

// tellings are the kinds of documents by the element that holds what they say of one account.
var tellings = map[string]exchange.Telling{"Rpt": exchange.ByReportOfDay, "Stmt": exchange.ByStatement,
	"Ntfctn": exchange.ByNotification}

// number takes the merchant's account.
func (a *account) number() error {
	n, err := a.grow("Acct", newBudget(), names("Ownr", "Svcr", "Prxy"))
	if err != nil {
		return err
	}
	text := cmp.Or(n.words("Id", "Othr", "Id"), n.words("Id", "IBAN"), n.words("Id", "PrtryAcct", "Id"))
	a.of.Account, a.holds = bank.AccountNumber(clip(text, 34)), clip(n.words("Ccy"), 3)
	return nil
}

// compare holds the entries against the balances.
func (a *account) compare(e *exchange.Event) {
	if a.opening == nil || a.closing == nil || a.net.broke ||
		a.currency != "" && a.currency != a.opening.Currency || a.opening.Currency != a.closing.Currency {
		return
	}
	sum := total{cents: a.opening.SignedCents()}
	sum.add(a.net.cents)
	if closing := a.closing.SignedCents(); !sum.broke && sum.cents != closing {
		complain(e, "The opening balance and the entries give %s, but the closing balance is %s.",
			money.Format(sum.cents, a.opening.Currency), money.Format(closing, a.opening.Currency))
	}
}

// balance reads an opening or closing balance; others say nothing here.
func (a *account) balance() error {
	n, err := a.tree("Bal", newBudget())
	if err != nil {
		return err
	}
	kind := n.code("Tp", "CdOrPrtry")
	opening := kind == "OPBD" || kind == "PRCD" // the closing balance of the day before opens this one
	if !opening && kind != "CLBD" {
		return nil
	}
	a.balances++
	e := a.of
	e.Kind, e.Path, e.Opening = exchange.OnBalance, fmt.Sprintf("s%d.b%d", a.statements, a.balances), opening
	e.Raw = evidence(n)
	setAmount(&e, n.at("Amt"))
	setDirection(&e, n.words("CdtDbtInd"))
	day, at, found, ok := moment(n.at("Dt"))
	if !ok {
		complain(&e, "The day of the balance cannot be read.")
	}
	switch {
	case ok && found:
		e.BookedOn, e.At = day, at
	case opening:
		e.BookedOn, e.BookedBy = a.from, exchange.ByStatementDay
	default:
		e.BookedOn, e.BookedBy = a.until, exchange.ByStatementDay
	}
	if e.HasAmount && e.Problem == "" {
		if opening && a.opening == nil {
			a.opening = &e
		} else if !opening {
			a.closing = &e
		}
	}
	return a.say(e)
}

// setDirection takes which way the money goes. Nothing else says so, least of all the sign of reversal.
func setDirection(e *exchange.Event, indicator string) {
	switch indicator {
	case "CRDT":
		e.Credit = true
	case "DBIT":
		e.Credit = false
	default:
		e.HasAmount, e.AmountCents = false, 0
		complain(e, "It does not say whether the money came in or went out.")
	}
}
