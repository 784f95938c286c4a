package deletion

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// Do says what becomes of something that hangs on a stored account when the account
// is deleted.
type Do string

// What can be done. Drop is for debits alone, Pause and Invoice are for subscriptions.
const (
	Drop     Do = "drop"    // the debit does not run, the purchase stays unpaid, nothing is mailed
	Pause    Do = "pause"   // the subscription waits until a person resumes it
	UseOther Do = "move"    // another account of the client is debited
	Ask      Do = "ask"     // the client is asked by mail for a new account
	Invoice  Do = "invoice" // each period is asked for by a mailed invoice
	Cancel   Do = "cancel"  // the purchase is cancelled, the subscription ends
)

// Choice is what a person wants to become of one use of an account. Its JSON is how
// it is stored.
type Choice struct {
	Do Do        `json:"do"`
	To uuid.UUID `json:"to,omitzero"` // of UseOther: the account that is debited instead
}

// Effect is a choice with everything that it does: a title for a button, and
// sentences that read after the name of the use.
type Effect struct {
	Choice
	Title, Words string
}

// Use is one thing that hangs on a stored account: a planned debit, or a subscription
// that is charged on the account.
type Use struct {
	Debit        *purchase.Record // with its collection, which is scheduled
	Subscription *purchase.Subscribed
	Options      []Effect // what can become of it; the first is the least harmful, and happens when nobody chooses
	Cannot       []string // why other accounts of the client cannot take its place
	Effect       Effect   // what becomes of it
}

// ID is the purchase's or the subscriber's.
func (u Use) ID() uuid.UUID {
	if u.Debit != nil {
		return u.Debit.ID
	}
	return u.Subscription.ID
}

// Name says what it is, with the date on which it was to run.
func (u Use) Name() string {
	if u.Debit != nil {
		return fmt.Sprintf("Debit of %s on %s (%s)", purchase.SayCents(u.Debit.Purchase),
			u.Debit.Collection.ActionDate.Format(calendar.WeekdayForm), u.Debit.Called())
	}
	name := "Subscription “" + u.Subscription.Title + "”"
	switch {
	case u.Subscription.Paused:
		return name + ", paused"
	case u.Subscription.NextOn.IsZero():
		return name
	}
	return name + ", billed next on " + u.Subscription.NextOn.Format(calendar.WeekdayForm)
}

// Line is what the deletion does to it, as it is written down.
func (u Use) Line() string { return u.Name() + ": " + u.Effect.Words }

// choose takes a choice if it is still possible.
func (u *Use) choose(c Choice) bool {
	i := slices.IndexFunc(u.Options, func(e Effect) bool { return e.Choice == c })
	if i >= 0 {
		u.Effect = u.Options[i]
	}
	return i >= 0
}

// Impact is what deleting a stored account does.
type Impact struct {
	Token   token.Token
	Mandate mandate.Mandate   // it ends, and the bank is told
	Uses    []Use             // debits by their dates, then subscriptions
	AtBank  []purchase.Record // debits that the bank has already: they run
}

// Debits counts the planned debits.
func (i Impact) Debits() (n int) {
	for _, u := range i.Uses {
		if u.Debit != nil {
			n++
		}
	}
	return n
}

// Subscriptions counts the subscriptions that are charged on the account.
func (i Impact) Subscriptions() int { return len(i.Uses) - i.Debits() }

// Cents is the sum of the planned debits.
func (i Impact) Cents() (sum int64) {
	for _, u := range i.Uses {
		if u.Debit != nil {
			sum = money.Plus(sum, u.Debit.TotalCents)
		}
	}
	return sum
}

// MandateWords says what becomes of the mandate.
func (i Impact) MandateWords() string {
	if i.Mandate.Kind == mandate.DebiCheck {
		return "The DebiCheck mandate " + i.Mandate.ContractReference +
			" is cancelled at the client’s bank. The client would have to confirm a new one."
	}
	return "The mandate " + i.Mandate.ContractReference +
		" ends: the client would have to give a new one. Its wording and evidence are kept."
}

// Lines are all effects, one a line.
func (i Impact) Lines() []string {
	out := make([]string, 0, len(i.Uses)+len(i.AtBank)+1)
	for _, u := range i.Uses {
		out = append(out, u.Line())
	}
	for _, r := range i.AtBank {
		out = append(out, fmt.Sprintf("Debit of %s on %s (%s): the bank already has it. It runs anyway.",
			purchase.SayCents(r.Purchase), r.Collection.ActionDate.Format(calendar.WeekdayForm),
			r.Called()))
	}
	return append(out, i.MandateWords())
}

// Choose takes what a person wants to become of the uses; for all that is not named
// the least harmful stands. Problems are at choice-<id>.
func (i *Impact) Choose(want map[uuid.UUID]Choice) (wrong fault.Problems) {
	for n := range i.Uses {
		u := &i.Uses[n]
		if c, named := want[u.ID()]; named && !u.choose(c) {
			wrong.Add("choice-"+u.ID().String(), "invalid_choice", "%s: this is no longer possible. Choose again.", u.Name())
		}
	}
	return wrong
}

// Chosen is what becomes of all uses, by their ids.
func Chosen(impacts []Impact) map[uuid.UUID]Choice {
	out := map[uuid.UUID]Choice{}
	for _, i := range impacts {
		for _, u := range i.Uses {
			out[u.ID()] = u.Effect.Choice
		}
	}
	return out
}

// settle is Choose for a deletion under way: what is not possible any more becomes
// the least harmful, and the words say so.
func (i *Impact) settle(want map[uuid.UUID]Choice) {
	for n := range i.Uses {
		u := &i.Uses[n]
		if c, named := want[u.ID()]; named && !u.choose(c) {
			u.Effect.Words += " What was chosen was no longer possible."
		}
	}
}

// asPrograms leaves debits and subscriptions to their switches, as a deletion by the
// API does: it asks nobody (API contract 3.7).
func (i *Impact) asPrograms() {
	for n := range i.Uses {
		u := &i.Uses[n]
		switch {
		case u.Subscription != nil:
			u.Effect = invoiced(*u.Subscription)
		case u.Debit.Options.InvoiceOnFailure:
			u.choose(Choice{Do: Ask})
		}
	}
}

// withoutSubscriptions leaves the subscriptions out, which end with their client.
func (i *Impact) withoutSubscriptions() {
	i.Uses = slices.DeleteFunc(i.Uses, func(u Use) bool { return u.Subscription != nil })
}

// Digest is the same as long as the impacts and their choices read the same.
func Digest(impacts []Impact) string {
	var text strings.Builder
	for _, i := range impacts {
		fmt.Fprintln(&text, i.Token.ID, i.MandateWords())
		for _, u := range i.Uses {
			fmt.Fprintln(&text, u.ID(), u.Name(), len(u.Options))
			for _, e := range u.Options {
				fmt.Fprintln(&text, e.Do, e.To, e.Words)
			}
		}
		for _, r := range i.AtBank {
			fmt.Fprintln(&text, r.ID)
		}
	}
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:8])
}

// invoiced: the subscription goes on, and each period fails for want of an account.
func invoiced(s purchase.Subscribed) Effect {
	e := Effect{
		Choice: Choice{Do: Invoice},
		Title:  "Bill by invoice",
		Words: "Continues. Nothing is debited: each period stays unpaid, and no mail is sent, " +
			"since its mails about failed debits are off.",
	}
	switch {
	case s.Invoices && s.Email != "":
		e.Words = "Continues. Nothing is debited: each period is mailed as an invoice to " + s.Email
		if !s.NextOn.IsZero() {
			e.Words += ", first on " + s.NextOn.Format(calendar.WeekdayForm)
		}
		e.Words += ". The client can pay or give a new account there."
	case s.Invoices:
		e.Words = "Continues. Nothing is debited: each period stays unpaid, " +
			"and the client has no e-mail address for invoices."
	}
	return e
}
