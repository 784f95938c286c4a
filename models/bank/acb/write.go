package acb

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
	"debitdesk/models/bank/tape"
	"debitdesk/models/calendar"
)

// Writer writes debits of EFT. Service is what the tape calls theirs, such as TWO DAY.
type Writer struct{ Service string }

var _ exchange.Spelling = Writer{}

// ServiceOf is what the tape calls a service that wants its debits some business days ahead.
func ServiceOf(leadDays int) string {
	switch leadDays {
	case 0:
		return "SAMEDAY"
	case 1:
		return "ONE DAY"
	default:
		return "TWO DAY"
	}
}

// Name implements exchange.Spelling.
func (Writer) Name() string { return "acb" }

// Title implements exchange.Spelling.
func (Writer) Title() string { return "ACB 180 (draft)" }

// FileName implements exchange.Spelling.
func (Writer) FileName(m exchange.Message) string {
	return strings.TrimSuffix(m.FileName, path.Ext(m.FileName)) + ".acb180-draft.txt"
}

// types are the numbers of account types.
var types = map[bank.AccountType]string{bank.Current: "1", bank.Savings: "2", bank.Transmission: "3"}

// What a tape holds at most: digits of its fields.
const (
	mostCents    = 99_999_999_999
	mostSumCents = 999_999_999_999
	mostRecords  = 999_999
)

// Refuses implements exchange.Spelling.
func (Writer) Refuses(m exchange.Message, groups []exchange.Group) string {
	if m.Kind != exchange.Debits {
		return "Only debits have this form."
	}
	for _, g := range groups {
		c := g.Creditor
		switch {
		case g.Method != bank.EFT:
			return "It holds debits by DebiCheck, and this form has EFT debits alone."
		case len(c.ProfileCode) == 0 || len(c.ProfileCode) > tape.UserCode.Length:
			return "The form holds a user code of one to four characters, and your debit profile has another."
		case len(c.Branch) != tape.Branch.Length:
			return "The form holds the branch code of your bank account, and your debit profile has none."
		case len(bank.AccountNumber(c.Account).Key()) > tape.Account.Length:
			return "The number of your bank account is longer than the form holds."
		}
	}
	if m.SumCents > mostSumCents || m.Count+len(groups) > mostRecords {
		return "The file is larger than the form holds."
	}
	return ""
}

// Write implements exchange.Spelling: a header, for each user code its debits with one contra for each group and their
// totals, and a trailer.
func (w Writer) Write(to io.Writer, m exchange.Outgoing) error {
	if why := w.Refuses(m.Message, m.Groups); why != "" {
		return &exchange.Disallowed{Form: w.Title(), Why: []string{why}}
	}
	t := draft{m: m, service: w.Service}
	t.days()
	t.add(t.installation(tape.FileHeader))
	for n, code := range userCodes(m.Groups) {
		t.user(code, int64(n+1))
	}
	trailer := t.installation(tape.FileTrailer)
	total := int64(len(t.records)) + 1
	trailer.Count(tape.At(57, 6), (total+9)/10) // blocks of ten records
	trailer.Count(tape.At(63, 6), t.items)
	trailer.Count(tape.At(69, 6), total-t.items)
	t.add(trailer)
	if t.wrong != nil {
		return &exchange.Disallowed{Form: w.Title(), Why: t.wrong}
	}
	out := bufio.NewWriter(to)
	for _, r := range t.records {
		_, _ = out.Write(append(r, '\r', '\n'))
	}
	return out.Flush()
}

// userCodes are the codes of a message in the order in which they come.
func userCodes(groups []exchange.Group) (codes []string) {
	for _, g := range groups {
		if !slices.Contains(codes, g.Creditor.ProfileCode) {
			codes = append(codes, g.Creditor.ProfileCode)
		}
	}
	return codes
}

// draft is one file as it grows.
type draft struct {
	m           exchange.Outgoing
	service     string
	records     []tape.Record
	items       int64 // debits and contras
	first, last calendar.Date
	wrong       []string
}

func (t *draft) add(r tape.Record) { t.records = append(t.records, r) }

func (t *draft) days() {
	for _, g := range t.m.Groups {
		if t.first.IsZero() || g.ActionDate.Before(t.first) {
			t.first = g.ActionDate
		}
		if t.last.IsZero() || g.ActionDate.After(t.last) {
			t.last = g.ActionDate
		}
	}
}

// installation is the header of the file, which its trailer repeats.
func (t *draft) installation(kind string) tape.Record {
	r := tape.New(kind)
	r.Number(tape.At(3, 4), "1")
	r.Count(tape.At(7, 8), t.m.Number)
	r.Put(tape.At(15, 4), t.m.Groups[0].Creditor.ProfileCode)
	r.Put(tape.At(19, 4), "0021")
	r.Put(tape.At(23, 6), short(calendar.DateOf(t.m.MadeAt)))
	r.Put(tape.At(29, 6), short(t.last))
	r.Count(tape.At(35, 4), t.m.Number)
	r.Put(tape.At(39, 4), "1800")
	r.Put(tape.At(43, 4), "0180")
	r.Put(tape.At(47, 10), t.service)
	return r
}

// totals are what a user's trailer says.
type totals struct {
	debits, contras int64
	cents, hash     int64
}

func (t *draft) user(code string, generation int64) {
	header := tape.New(tape.UserHeader)
	header.Put(tape.At(3, 4), code)
	header.Put(tape.At(7, 6), short(calendar.DateOf(t.m.MadeAt)))
	header.Put(tape.At(13, 6), short(t.last))
	header.Put(tape.At(19, 6), short(t.first))
	header.Put(tape.At(25, 6), short(t.last))
	header.Count(tape.At(31, 6), 1)
	header.Count(tape.At(37, 4), t.m.Number+generation-1)
	header.Put(tape.At(41, 10), t.service)
	t.add(header)
	sum, sequence := totals{}, int64(0)
	for _, g := range t.m.Groups {
		if g.Creditor.ProfileCode != code {
			continue
		}
		for _, i := range g.Items {
			sequence++
			r := t.debit(g, i, sequence)
			sum.debits, sum.cents, sum.hash = sum.debits+1, sum.cents+i.AmountCents, sum.hash+r.Homing()
			t.add(r)
		}
		sequence++
		contra := t.contra(g, sequence)
		sum.contras, sum.hash = sum.contras+1, sum.hash+contra.Homing()
		t.add(contra)
	}
	t.items += sequence
	t.add(t.trailer(code, sequence, sum))
}

// entry is what a debit and its contra share.
func entry(kind string, g exchange.Group, sequence int64) tape.Record {
	r := tape.New(kind)
	r.Number(tape.Branch, g.Creditor.Branch)
	r.Number(tape.Account, bank.AccountNumber(g.Creditor.Account).Key())
	r.Put(tape.UserCode, g.Creditor.ProfileCode)
	r.Count(tape.Sequence, sequence)
	r.Put(tape.Action, short(g.ActionDate))
	r.Number(tape.LongAccount, "0")
	r.Put(tape.Institution, "21")
	return r
}

// classOfDebits is the entry class of a debit order. (public examples have 44, 36, 32 and 21)
const classOfDebits = "44"

func (t *draft) debit(g exchange.Group, i exchange.Item, sequence int64) tape.Record {
	r := entry(tape.Debit, g, sequence)
	in := i.Order.Debit
	if in == nil {
		t.refuse(sequence, "what was asked is not kept any longer")
		return r
	}
	account := in.Account.Key()
	switch {
	case len(in.Branch) != tape.HomingBranch.Length:
		t.refuse(sequence, "the branch code does not have six digits")
	case account == "" || strings.Trim(account, "0123456789") != "" || len(account) > tape.LongAccount.Length:
		t.refuse(sequence, "the account number is not one of at most twenty digits")
	case in.AmountCents <= 0 || in.AmountCents > mostCents:
		t.refuse(sequence, "the amount is not one that the form holds")
	case types[in.AccountType] == "":
		t.refuse(sequence, "the form has no number for its account type")
	}
	r.Number(tape.HomingBranch, in.Branch)
	if len(account) > tape.HomingAccount.Length {
		r.Number(tape.HomingAccount, "0")
		r.Number(tape.LongAccount, account)
	} else {
		r.Number(tape.HomingAccount, account)
	}
	r.Put(tape.Type, types[in.AccountType])
	r.Count(tape.Amount, in.AmountCents)
	r.Put(tape.Class, classOfDebits)
	r.Put(tape.Tax, "0")
	r.Put(tape.Reference, iso20022.Columns(in.StatementLine))
	r.Put(tape.Name, strings.ToUpper(iso20022.Plain(in.HolderName)))
	return r
}

func (t *draft) refuse(sequence int64, why string) {
	if len(t.wrong) < 5 {
		t.wrong = append(t.wrong, fmt.Sprintf("in record %d %s", sequence, why))
	}
}

// contra books the sum of a group on the merchant's own account.
func (t *draft) contra(g exchange.Group, sequence int64) tape.Record {
	if g.SumCents > mostCents {
		t.refuse(sequence, "the sum of a part is larger than the form holds")
	}
	r := entry(tape.DebitContra, g, sequence)
	r.Number(tape.HomingBranch, g.Creditor.Branch)
	r.Number(tape.HomingAccount, bank.AccountNumber(g.Creditor.Account).Key())
	r.Put(tape.Type, "1")
	r.Count(tape.Amount, g.SumCents)
	r.Put(tape.Class, "10")
	r.Put(tape.At(67, 4), "0000")
	r.Put(tape.Reference, fmt.Sprintf("%-10.10sCONTRA%s", iso20022.Plain(g.Creditor.AbbreviatedName), short(g.ActionDate)))
	r.Put(tape.Name, strings.ToUpper(iso20022.Plain(g.Creditor.Name)))
	return r
}

// trailer has the totals of a user. The contras are on the other side, so both sides are equal.
func (t *draft) trailer(code string, last int64, sum totals) tape.Record {
	r := tape.New(tape.UserTrailer)
	r.Put(tape.At(3, 4), code)
	r.Count(tape.At(7, 6), 1)
	r.Count(tape.At(13, 6), last)
	r.Put(tape.At(19, 6), short(t.first))
	r.Put(tape.At(25, 6), short(t.last))
	r.Count(tape.DebitCount, sum.debits)
	r.Count(tape.CreditCount, sum.contras)
	r.Count(tape.ContraCount, sum.contras)
	r.Count(tape.DebitSum, sum.cents)
	r.Count(tape.CreditSum, sum.cents)
	r.Count(tape.Hash, tape.HashTotal(sum.hash))
	return r
}

// short is a day as YYMMDD.
func short(d calendar.Date) string {
	if d.IsZero() {
		return "000000"
	}
	return d.Format("060102")
}
