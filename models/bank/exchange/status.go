package exchange

import (
	"cmp"
	"fmt"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
)

// onItem records what the bank says of one item.
func (c *change) onItem(e Event) error {
	if e.Kind == OnItem && asksRecall(e.MessageName) {
		return c.onRecallStatus(e)
	}
	i, found, two := c.itemOf(e)
	if two {
		return nil
	}
	if !found && e.Kind == OnRecall && e.GroupID == "" && e.InstructionID == "" {
		return nil // a recall of a whole message, which we never ask for
	}
	if !found {
		return c.unknownItem(e)
	}
	c.tally(i.MerchantID, 1, i.AmountCents)
	m, err := c.message(i.MessageID)
	switch {
	case err != nil:
		return err
	case m == nil:
		c.find(Finding{MerchantID: i.MerchantID, Kind: UnknownItem, Subject: c.document.ID.String() + ":" + i.ID.String(),
			ItemID: i.ID, Text: fmt.Sprintf("%s answers an item in a file that never left.", c.document.FileName)})
		return nil
	case c.misnames(i, e):
		return nil
	}
	if err := c.acknowledge(m); err != nil {
		return err
	}
	switch e.Kind {
	case OnMandate:
		c.mandate(i, e)
	case OnRecall:
		return c.recall(i, e)
	default:
		c.status(i, e)
	}
	return nil
}

// unknownItem is an answer that names no item we know. Where it names a file of ours, it may be about any item in it.
func (c *change) unknownItem(e Event) error {
	f := Finding{Kind: UnknownItem, Subject: c.document.ID.String() + ":" + cmp.Or(e.InstructionID, e.EndToEndID, e.Path),
		Text: fmt.Sprintf("%s answers an item that this installation never handed over.", c.document.FileName)}
	m, err := c.message(e.MessageID)
	if err != nil {
		return err
	}
	if m != nil {
		f.MerchantID, f.MessageID = m.MerchantID, m.ID
		f.Text = fmt.Sprintf("%s answers an item of the file %s that is not in it. Until you settle this, no debit of that "+
			"file counts as paid by silence.", c.document.FileName, m.FileName)
	}
	c.find(f)
	return nil
}

// misnames tells that an answer says something else of an item than we wrote. It is a finding alone, and counts for
// nothing.
func (c *change) misnames(i Item, e Event) bool {
	switch {
	case e.MessageID != "" && e.MessageID != i.MessageID:
		c.differs(i, "message", fmt.Sprintf("The bank answers an item of the file %s as if it were in %s. "+
			"It was not counted.", i.MessageID, e.MessageID))
	case e.HasAmount && i.AmountCents != 0 && (e.AmountCents != i.AmountCents || !sameCurrency(e, i)):
		c.differs(i, "amount", fmt.Sprintf("The bank answers a debit of %s with an amount of %s. It was not counted.",
			money.Format(i.AmountCents, i.Currency), money.Format(e.AmountCents, cmp.Or(e.Currency, i.Currency))))
	default:
		return false
	}
	return true
}

func (c *change) differs(i Item, what, text string) {
	c.find(Finding{MerchantID: i.MerchantID, Kind: Differs, Subject: what + ":" + i.ID.String(), MessageID: i.MessageID,
		ItemID: i.ID, Text: text})
}

// status applies a status to an item.
func (c *change) status(i Item, e Event) {
	switch {
	case e.Status == "RJCT":
		c.reject(i, e)
	case e.Status == "CANC" && i.Kind == Debits:
		c.answer(i, e, bank.Recalled, bank.CodeRecalled)
	case e.Status == "PDNG" && i.Method == bank.DebiCheck && i.Kind == Debits:
		c.answer(i, e, bank.InTracking, "")
	case e.Status == "BLCK":
		c.find(Finding{MerchantID: i.MerchantID, Kind: SetUp, Subject: "blocked:" + i.ID.String(), ItemID: i.ID,
			MessageID: i.MessageID, Text: "The bank has blocked an item of the file " + i.MessageID + "."})
	case settled(e.Status) && i.Kind == Refunds:
		c.answer(i, e, bank.RefundSettled, bank.CodeSuccess)
	case settled(e.Status) && i.Kind == Debits && (i.Method == bank.DebiCheck || c.s.Rules.Success[i.Method] == ByReport):
		c.paid(i, e)
	}
}

// settled: the money has moved. ACSP only says that it will.
func settled(status string) bool { return status == "ACSC" || status == "ACCC" || status == "ACWP" }

// paid records that a debit was collected: for good by DebiCheck, with returns to come by EFT.
func (c *change) paid(i Item, e Event) {
	if i.Method == bank.DebiCheck {
		c.answer(i, e, bank.Successful, bank.CodeSuccess)
		return
	}
	c.answer(i, e, bank.Provisional, bank.CodeSuccess)
}

// reject records that the bank, or the payer's bank, refused to do what was asked: no money moved.
func (c *change) reject(i Item, e Event) {
	why := c.s.meaning(bank.Refused, e.Reasons)
	switch i.Kind {
	case Mandates:
		code := bank.ReadMandateReason(c.s.Rules.Codes, e.Reasons...)
		c.answer(i, e, bank.MandateKind(code, i.Outcome == bank.MandateAccepted), code)
		return
	case Recalls, Cancellations: // nothing that the product waits for
		return
	case Debits, Refunds:
	}
	switch {
	case why.Trouble != bank.NoTrouble:
		c.aside(i, e, why)
	case i.Kind == Refunds:
		c.answer(i, e, bank.RefundFailed, why.Code)
	case why.Code == bank.CodeRecalled:
		c.answer(i, e, bank.Recalled, why.Code)
	default: // whatever the reason is: there is nothing to take back
		c.answer(i, e, bank.Unpaid, why.Code)
	}
}

// meaning reads the bank's reasons with the codes of its profile.
func (s *Service) meaning(at bank.Stage, reasons []Reason) bank.Meaning {
	by := bank.Codes{Own: s.Rules.Codes, Table: s.Rules.CodeTable, Day: calendar.DateOf(s.Store.Now())}
	return bank.ReadReason(by, at, reasons...)
}

// troubles are findings for what went wrong between us and the bank.
var troubles = map[bank.Trouble]FindingKind{bank.Duplicate: Differs, bank.Late: MissedDeadline, bank.NotSetUp: SetUp,
	bank.Technical: SetUp}

// aside leaves an item to a person: the reason is the bank's or ours, not the payer's.
func (c *change) aside(i Item, e Event, why bank.Meaning) {
	kind := troubles[why.Trouble]
	if i.State == ItemSent && i.Outcome == "" {
		i.State = ItemRefused
		c.put(i)
	}
	c.find(Finding{MerchantID: i.MerchantID, Kind: kind, Subject: string(kind) + ":" + i.ID.String(), ItemID: i.ID,
		MessageID: i.MessageID, Text: fmt.Sprintf("The bank did not run an item of %s in the file %s: %s. "+
			"That is not the client’s doing.", money.Format(i.AmountCents, cmp.Or(i.Currency, "ZAR")), i.MessageID,
			cmp.Or(reasonText(e.Reasons), "it gave no reason"))})
}

// mandate records how a payer answered.
func (c *change) mandate(i Item, e Event) {
	switch {
	case i.Kind == Cancellations: // nobody waits for the answer
	case i.Kind != Mandates:
		c.differs(i, "mandate", "The bank answers a debit as if it were a mandate request.")
	case e.Accepted:
		c.answer(i, e, bank.MandateAccepted, "")
	default:
		code := bank.ReadMandateReason(c.s.Rules.Codes, e.Reasons...)
		c.answer(i, e, bank.MandateKind(code, i.Outcome == bank.MandateAccepted), code)
	}
}

// rank orders what the bank may say of one item: what is later in the order holds whatever order it arrives in.
var rank = map[bank.MessageKind]int{"": 0, bank.MandateDelivered: 1, bank.InTracking: 1, bank.Provisional: 2,
	bank.Successful: 2, bank.RefundSettled: 2, bank.MandateAccepted: 2, bank.MandateRejected: 2, bank.MandateUnanswered: 2,
	bank.Recalled: 3, bank.Unpaid: 3, bank.Disputed: 4, bank.RefundFailed: 3, bank.MandateFailed: 2,
	bank.MandateSuspended: 3, bank.PaidAgain: 5}

// answer tells the product something about an item, once for each kind.
func (c *change) answer(i Item, e Event, kind bank.MessageKind, code string) {
	i = c.current(i)
	switch {
	case i.Outcome == kind:
		return
	case rank[kind] < rank[i.Outcome] && i.State != ItemDropped:
		if c.takesBack(i, e, kind) {
			c.contradiction(i, kind)
		}
		return
	case rank[kind] == rank[i.Outcome] && i.Outcome != "" || i.State == ItemDropped:
		c.contradiction(i, kind)
		return
	}
	at := atOr(e.At, c.tx.Now())
	if kind == bank.PaidAgain {
		i.BackOn = i.OutcomeOn
	}
	i.Outcome, i.OutcomeOn = kind, dayOf(e, at)
	if i.State == ItemRefused || i.State == ItemLate {
		i.State = ItemSent
	}
	c.put(i)
	c.answers = append(c.answers, Answer{ID: answerID(c.document, e), ItemID: i.ID, MerchantID: i.MerchantID, Kind: kind,
		Code: code, Channel: e.Channel, Reference: e.MandateReference, At: at, Raw: e.Raw})
}

// dayOf is the bank's day of an answer.
func dayOf(e Event, at time.Time) calendar.Date {
	if !e.BookedOn.IsZero() {
		return e.BookedOn
	}
	return calendar.DateOf(at)
}

// takesBack tells that an answer says less than what is known and is not older: money that is there after it was said
// not to be, or that is gone once more. An older one came late, and what is known has overtaken it.
func (c *change) takesBack(i Item, e Event, kind bank.MessageKind) bool {
	day := dayOf(e, atOr(e.At, c.tx.Now()))
	switch i.Outcome {
	case bank.Unpaid, bank.Recalled, bank.RefundFailed:
		return (kind == bank.Provisional || kind == bank.Successful || kind == bank.RefundSettled) &&
			e.Kind != OnEntry && !day.Before(i.OutcomeOn)
	case bank.PaidAgain:
		return (kind == bank.Unpaid || kind == bank.Disputed) && day.After(i.OutcomeOn)
	default:
		return false
	}
}

func (c *change) contradiction(i Item, kind bank.MessageKind) {
	c.find(Finding{MerchantID: i.MerchantID, Kind: LateResult, Subject: string(kind) + ":" + i.ID.String(), ItemID: i.ID,
		MessageID: i.MessageID, Text: fmt.Sprintf(
			"The bank says two different things about an item of %s in the file %s. The first was kept.",
			money.Format(i.AmountCents, cmp.Or(i.Currency, "ZAR")), i.MessageID)})
}
