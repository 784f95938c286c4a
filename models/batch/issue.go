package batch

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

// outgoing is a row that is about to be sent: as it was reviewed, and as it is now.
type outgoing struct {
	seen, now Row
	values    Values
	client    client.Client // none: a new one
	pattern   purchase.Purchase
	brand     merchant.Brand
	debit     *purchase.Forecast // nil: none is wanted
	why       string             // it is not sent
}

// prepare looks at the next ready rows once more.
func (s *Service) prepare(ctx context.Context, b Batch, limit int) ([]outgoing, error) {
	rows, err := s.takeUp(ctx, b, RowQuery{States: []RowState{Ready}, Limit: limit})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	rows = onePerAccount(rows)
	seen := slices.Clone(rows)
	lines, known, debits, err := s.judged(ctx, b, rows)
	if err != nil {
		return nil, err
	}
	next := make([]outgoing, len(rows))
	for i := range rows {
		next[i] = outgoing{seen: seen[i], now: rows[i], values: lines[i].Values, client: known.byID[rows[i].ClientID],
			debit: debits[i], why: changed(seen[i], rows[i])}
		if next[i].why != "" {
			continue
		}
		next[i].pattern, next[i].brand, err = s.Purchases.Pattern(ctx, b.Starter,
			s.inputOf(b, b.Starter, lines[i].Values))
		if f, ok := fault.From(err); ok && f.Kind != fault.Internal {
			next[i].why = f.Words()
		} else if err != nil {
			return nil, err
		}
	}
	return next, nil
}

// inputOf is what a line asks for, in the words of a purchase.
func (s *Service) inputOf(b Batch, who actor.Actor, l Values) purchase.Input {
	in := purchase.Input{BrandID: b.BrandID, Product: purchase.ByInvoices, Reference: l.Reference, UserID: who.ID,
		Details: purchase.Details{Products: l.Products, Notes: l.Notes, Timezone: "Africa/Johannesburg"},
		Options: purchase.Options{Platform: "web"}}
	if !l.Due.IsZero() {
		due := s.Timetable.DueOn(l.Due).UTC()
		in.Due = &due
	}
	return in
}

// whitelist is how the row may be paid; nil: in every way.
func (v Values) whitelist() []string {
	if v.Method == "" {
		return nil
	}
	return []string{v.Method}
}

// onePerAccount cuts rows before the second debit of an account: a debit under the same mandate must stand before the
// next one is booked.
func onePerAccount(rows []Row) []Row {
	seen := map[uuid.UUID]bool{}
	for i, r := range rows {
		if id := r.Debit.TokenID; id != uuid.Nil {
			if seen[id] {
				return rows[:i]
			}
			seen[id] = true
		}
	}
	return rows
}

// changed says what of a row is not any more what was reviewed.
func changed(seen, now Row) string {
	var why string
	switch {
	case len(now.Problems) > 0:
		why = strings.TrimPrefix(now.Problems[0].Name+": ", ": ") + now.Problems[0].Message
	case len(seen.Digest) == 0:
		return ""
	case slices.ContainsFunc(now.Debit.Disputable,
		func(because string) bool { return !slices.Contains(seen.Debit.Disputable, because) }):
		why = "the client could dispute the debit for a reason that was not there at the review"
	case bytes.Equal(seen.Digest, now.Digest):
		return ""
	case seen.NewClient && now.NewClient:
		why = "another client with this address was added or changed since the review"
	case seen.NewClient && !now.NewClient:
		why = "a client with this address was added since the review"
	case seen.ClientID != now.ClientID:
		why = "the row names a different client from the review"
	case seen.Debit.TokenID != now.Debit.TokenID:
		why = "a different bank account would be debited"
	case seen.Debit.Date != now.Debit.Date:
		why = fmt.Sprintf("the account would be debited on %s, and not on %s as at the review", now.Debit.Date,
			seen.Debit.Date)
	default:
		why = "the address of the client, or the row, changed since the review"
	}
	return "Not sent, because it is no longer what was reviewed: " + why + ". Fix it, review it again and send it."
}

// issue turns rows into drafts, and those into purchases with numbers. A row that cannot be made is failed with its
// reason.
func (s *Service) issue(tx *database.Tx, b Batch, rows []Row, next []outgoing, firstReference int64) error {
	made := map[string]client.Client{} // by this piece; an attempt that begins anew makes them anew
	var brand merchant.Brand
	var drafts []purchase.Purchase
	var at []int // the row of each draft
	for i := range rows {
		r, one := &rows[i], next[i]
		r.State, r.Error = Failed, one.why
		if one.why != "" {
			continue
		}
		c := one.client
		if one.now.NewClient {
			var known bool
			if c, known = made[one.now.ClientKey]; !known {
				var err error
				if c, err = newClient(tx, b, one.values); err != nil {
					return err
				}
				made[one.now.ClientKey] = c
			}
			r.NewClient = !known
		} else {
			r.NewClient = false
		}
		r.ClientID, r.Name = c.ID, c.Name()
		brand, drafts, at = one.brand, append(drafts, one.pattern.For(c.ID, c.Details, one.values.whitelist())), append(at, i)
	}
	if len(drafts) == 0 {
		return nil
	}
	var book []func() // the debits, once their purchases are written
	issued, err := s.Billing.IssueAll(tx, b.Starter, brand, drafts, firstReference,
		func(n int, p *purchase.Purchase) error {
			f := next[at[n]].debit
			if f == nil {
				return nil
			}
			write, err := s.Purchases.ChargeIssued(tx, b.Starter, p, brand, *f)
			book = append(book, write)
			return err
		})
	if err != nil {
		return err
	}
	for _, write := range book {
		write()
	}
	for n, one := range issued {
		r := &rows[at[n]]
		r.State, r.PurchaseID, r.Number, r.Error = Sent, one.Purchase.ID, one.Invoice.Number, ""
		r.TotalCents, r.Debit = one.Purchase.TotalCents, next[at[n]].now.Debit
		if next[at[n]].debit != nil {
			r.Charge = ChargeDone
		}
	}
	return nil
}

func newClient(tx *database.Tx, b Batch, v Values) (client.Client, error) {
	c := client.Client{ID: tx.NewID(), MerchantID: b.MerchantID, Details: v.details(), CreatedAt: tx.Now(),
		UpdatedAt: tx.Now()}
	if wrong := c.Check(client.AsRecord, calendar.DateOf(tx.Now())); len(wrong) > 0 { // brings it into its stored form too
		return c, wrong.Err()
	}
	client.Insert(tx, c)
	tx.Audit(b.Starter, audit.Entry{Action: "client.created", ObjectType: "client", ObjectID: c.ID, ClientID: c.ID,
		Text: c.Name() + " was added by the batch " + b.Name + "."})
	return c, nil
}
