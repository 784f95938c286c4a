package iso20022

import (
	"cmp"
	"fmt"
	"strings"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/money"
)

// entry is a movement that is read: what its details inherit, and how far they go.
type entry struct {
	*account
	node    *node
	whole   exchange.Event // as if it stood alone; complete once the first detail begins
	ready   bool
	details int
	listed  int             // details that are single payments
	said    int             // what the bank counts in its batches
	sum     total           // of the details, money out below zero
	held    *exchange.Event // the last detail: whether it is the only one shows later
}

// entry reads one movement: all its details, or itself when it has none.
func (a *account) entry() error {
	a.entries++
	e := &entry{account: a, node: &node{name: "Ntry"}}
	err := a.collect(e.node, entryFields, map[string]func() error{"NtryDtls": e.readDetails})
	if err != nil {
		return err
	}
	e.begin()
	a.count++
	if e.whole.Status == "BOOK" {
		a.add(e.whole)
	}
	if e.details == 0 {
		e.whole.Text = maskedProse(e.node, "AddtlNtryInf")
		e.whole.Raw = evidence(e.node)
		return a.say(e.whole)
	}
	return e.end()
}

// begin works out what the entry says before its details.
func (e *entry) begin() {
	if e.ready {
		return
	}
	e.ready = true
	w, n := e.of, e.node
	w.Kind, w.Path = exchange.OnEntry, fmt.Sprintf("e%d", e.entries)
	w.Status, w.Reversal = n.code("Sts"), isTrue(n.words("RvslInd"))
	w.Reference = n.id("AcctSvcrRef") // NtryRef counts anew in each document, and names nothing
	w.Currency = e.holds
	setAmount(&w, n.at("Amt"))
	w.EntryCents = w.AmountCents
	setDirection(&w, n.words("CdtDbtInd"))
	if w.Status == "" {
		complain(&w, "It does not say whether it is booked.")
	}
	setBankCode(&w, n)
	e.day(&w, n)
	w.ChargesCents = charges(n, w.Currency)
	e.whole = w
}

// day takes when it was booked: on the day that the bank names or, where it names none that can be read, on the value
// day, the statement's or the message's. None of them at all is left to whoever reads on.
func (e *entry) day(w *exchange.Event, n *node) {
	day, at, found, readable := moment(n.at("BookgDt"))
	value, _, _, ok := moment(n.at("ValDt"))
	if !ok {
		complain(w, "Its value date cannot be read.")
	}
	w.ValueOn = value
	if readable && found {
		w.BookedOn, w.At = day, at
		return
	}
	switch {
	case !value.IsZero():
		w.BookedOn, w.BookedBy = value, exchange.ByValueDay
	case !e.until.IsZero():
		w.BookedOn, w.BookedBy = e.until, exchange.ByStatementDay
	default:
		w.BookedOn, w.BookedBy = e.madeOn, exchange.ByMessageDay
	}
	if !readable {
		complain(w, "The day on which it was booked cannot be read; %s was taken.", w.BookedBy.Words())
	}
}

// charges are what the bank kept of an amount, or put on top, in one currency.
func charges(n *node, currency string) (cents int64) {
	var all total
	for _, c := range append(n.all("Chrgs"), n.at("Chrgs").all("Rcrd")...) {
		amount := c.at("Amt")
		if amount == nil || amount.currency != "" && currency != "" && amount.currency != currency {
			continue
		}
		if one, problem := readCents(amount.text); problem == "" && one > 0 {
			all.add(one)
		}
	}
	if all.broke {
		return 0
	}
	return all.cents
}

// setBankCode takes what kind of movement it is, where the element says so.
func setBankCode(e *exchange.Event, n *node) {
	code := n.at("BkTxCd")
	if domain := code.at("Domn"); domain != nil {
		e.BankCode = domain.code("Cd") + "/" + domain.words("Fmly", "Cd") + "/" + domain.words("Fmly", "SubFmlyCd")
		e.BankCode = clip(e.BankCode, 40)
	}
	if own := code.at("Prtry"); own != nil {
		e.BankOwnCode = clip(cmp.Or(own.words("Cd"), own.text), 35)
	}
}

// readDetails reads one NtryDtls: a batch, its payments, or both.
func (e *entry) readDetails() error {
	e.begin()
	n, payments := &node{name: "NtryDtls"}, 0
	err := e.collect(n, detailsFields, map[string]func() error{"TxDtls": func() error {
		payments++
		return e.detail(n.at("Btch"))
	}})
	if err != nil {
		return err
	}
	b := n.at("Btch")
	if count, ok := parseCount(b.words("NbOfTxs")); ok && payments > 0 {
		e.said += int(count)
		e.listed += payments
	}
	if b == nil || payments > 0 {
		return nil
	}
	return e.hold(e.batch(b, n))
}

// batch is an event for a batch whose payments are not listed.
func (e *entry) batch(b, n *node) exchange.Event {
	d := e.inherit()
	d.MessageID, d.GroupID, d.Raw = b.id("MsgId"), b.id("PmtInfId"), evidence(n)
	d.Batch = true
	d.HasAmount = false
	setAmount(&d, b.at("TtlAmt"))
	setCounts(&d, b.words("NbOfTxs"), "")
	if way := b.words("CdtDbtInd"); way != "" {
		setDirection(&d, way)
	}
	return d
}

func (e *entry) inherit() exchange.Event {
	d := e.whole
	d.Problem, d.AmountCents = "", 0
	e.details++
	d.EntryPath, d.Detail = d.Path, e.details
	d.Path = fmt.Sprintf("%s.d%d", d.EntryPath, e.details)
	return d
}

// detail reads one payment of the entry. b is the batch it is in, or nil.
func (e *entry) detail(b *node) error {
	n, err := e.tree("TxDtls", newBudget())
	if err != nil {
		return err
	}
	d := e.inherit()
	refs := n.at("Refs")
	d.MessageID = cmp.Or(refs.id("MsgId"), b.id("MsgId"))
	d.GroupID = cmp.Or(refs.id("PmtInfId"), b.id("PmtInfId"))
	d.InstructionID, d.EndToEndID = refs.id("InstrId"), refs.id("EndToEndId")
	d.MandateReference, d.DetailRef = refs.id("MndtId"), refs.id("AcctSvcrRef")
	d.TransactionID, d.UETR = refs.id("TxId"), refs.id("UETR")
	d.Batch = d.InstructionID == "" && d.EndToEndID == "" && refs.id("MsgId")+refs.id("PmtInfId") != ""
	d.StatementLine = cmp.Or(n.at("RmtInf").prose("Ustrd"), n.id("RmtInf", "Strd", "CdtrRefInf", "Ref"))
	d.Text = maskedProse(n, "AddtlTxInf")
	d.Reasons, d.Raw = reasonsOf(n, "RtrInf"), evidence(n)
	if n.at("BkTxCd") != nil {
		d.BankCode, d.BankOwnCode = "", ""
		setBankCode(&d, n)
	}
	d.HasAmount, d.ChargesCents = false, charges(n, d.Currency)
	instructed := n.at("AmtDtls", "InstdAmt", "Amt")
	if instructed != nil && instructed.currency != "" && instructed.currency != e.whole.Currency {
		instructed = nil // before it was exchanged
	}
	if instructed != nil {
		if cents, problem := readCents(instructed.text); problem == "" && cents > 0 {
			d.InstructedCents = cents
		}
	}
	setAmount(&d, n.at("Amt"), n.at("AmtDtls", "TxAmt", "Amt"), instructed)
	if way := n.words("CdtDbtInd"); way != "" {
		setDirection(&d, way)
	}
	return e.hold(d)
}

// hold keeps a detail until the next one shows, and says the one before.
func (e *entry) hold(d exchange.Event) error {
	before := e.held
	e.held = &d
	if before == nil {
		return nil
	}
	return e.sayDetail(*before)
}

func (e *entry) sayDetail(d exchange.Event) error {
	switch {
	case !d.HasAmount, d.Currency != e.whole.Currency, e.whole.Problem != "":
		e.sum.broke = true
	default:
		e.sum.add(d.SignedCents())
	}
	return e.say(d)
}

// end says the last detail, and what all of them come to.
func (e *entry) end() error {
	last := *e.held
	if e.details == 1 {
		if !last.HasAmount && last.Problem == "" {
			last.HasAmount, last.AmountCents, last.Currency = e.whole.HasAmount, e.whole.AmountCents, e.whole.Currency
		}
		if last.ChargesCents == 0 {
			last.ChargesCents = e.whole.ChargesCents
		}
		if words := maskedProse(e.node, "AddtlNtryInf"); !strings.Contains(last.Text, words) {
			last.Text = clip(strings.TrimSpace(last.Text+" "+words), 1000)
		}
	}
	if err := e.sayDetail(last); err != nil {
		return err
	}
	w := e.whole
	w.Kind, w.EntryPath, w.Path = exchange.OnDetails, w.Path, w.Path+".sum"
	w.Text, w.Raw = maskedProse(e.node, "AddtlNtryInf"), evidence(e.node)
	w.HasCount, w.Count, w.HasSum, w.SumCents = true, e.details, !e.sum.broke, e.sum.cents
	if w.HasSum && w.HasAmount && w.SumCents != w.SignedCents() {
		complain(&w, "The entry is %s, but its details add up to %s.", money.Format(w.SignedCents(), w.Currency),
			money.Format(w.SumCents, w.Currency))
	}
	if e.said > 0 && e.said != e.listed {
		complain(&w, "The bank counts %d payments in this entry, but lists %d.", e.said, e.listed)
	}
	return e.say(w)
}
