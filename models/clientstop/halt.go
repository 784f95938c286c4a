package clientstop

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/merchant"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// Halt is what stopping everything does: the page shows it, and the stop does it.
type Halt struct {
	Client        client.Client
	Debits        purchase.Stop
	Subscriptions []purchase.Subscribed // that are billed, and paused by the stop
	Tokens        []token.Token         // that are held
	Asked         []token.Token         // accounts for which the client's answer or the first debit is awaited
	Brand         merchant.Brand
}

// Digest is the same as long as the stop does the same.
func (h Halt) Digest() string {
	text := &strings.Builder{}
	for _, rec := range h.Debits.Withdrawn {
		fmt.Fprintln(text, "withdrawn", rec.Collection.ID, rec.Collection.State)
	}
	for _, rec := range h.Debits.Running {
		fmt.Fprintln(text, "running", rec.Collection.ID)
	}
	for _, sub := range h.Subscriptions {
		fmt.Fprintln(text, "paused", sub.ID)
	}
	for _, t := range h.Tokens {
		fmt.Fprintln(text, "held", t.ID)
	}
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:12])
}

// Cents is what the debits come to that are taken back.
func (h Halt) Cents() (cents int64) {
	for _, rec := range h.Debits.Withdrawn {
		cents += rec.Collection.AmountCents
	}
	return cents
}

// Lines say what happens, what does not, and who hears of it, one a line.
func (h Halt) Lines() (out []string) {
	for _, rec := range h.Debits.Withdrawn {
		line := debitNamed(rec) + ": "
		if rec.Collection.State == collection.Scheduled {
			line += "Cancelled before it goes to the bank."
		} else {
			line += "With the bank already: it is told to withdraw the debit. If it has debited the client by then, refund it."
		}
		out = append(out, line+" The purchase stays unpaid.")
	}
	for _, rec := range h.Debits.Running {
		out = append(out, debitNamed(rec)+": With the bank already, and cannot be recalled. It is still debited.")
	}
	for _, sub := range h.Subscriptions {
		out = append(out, "Subscription “"+sub.Title+"”: Paused. Nothing is billed until you undo this.")
	}
	for _, t := range h.Tokens {
		out = append(out, "Token "+t.Named()+": Held, not deleted. Nothing can be debited from it.")
	}
	for _, t := range h.Asked {
		out = append(out, "Account "+t.Named()+": Not stored yet. If it is stored later, nothing is debited from it.")
	}
	out = append(out, "New debits of this client are refused until you undo this.")
	if h.Client.Email == "" {
		return append(out, "The client has no e-mail address and gets no confirmation.")
	}
	return append(out, "One confirmation is mailed to "+h.Client.Email+".")
}

// debitNamed is a debit with its date, in words.
func debitNamed(rec purchase.Record) string {
	return fmt.Sprintf("Debit of %s on %s (%s)", purchase.SayCents(rec.Purchase),
		rec.Collection.ActionDate.Format(calendar.WeekdayForm), rec.Called())
}

func inShort(h Halt) string {
	text := plural.Of(len(h.Debits.Withdrawn), "debit") + " withdrawn, " +
		plural.Of(len(h.Subscriptions), "subscription") + " paused, " + plural.Of(len(h.Tokens), "token") + " held"
	if n := len(h.Debits.Running); n > 0 {
		text += ", " + plural.Of(n, "debit") + " at the bank still " + plural.Pick(n, "runs", "run")
	}
	return text
}
