package journal

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// Record is a fee, a payout by a provider, or a release of what it held back, as a person records it; or what takes
// one back. Its cents are those of its entry: above zero is a debit. It never changes.
type Record struct {
	ID, MerchantID uuid.UUID
	Kind           Kind
	Undoes         uuid.UUID // zero: nothing
	MovementID     uuid.UUID // of the bank, which it is of; zero: none
	Day            calendar.Date
	Currency       string
	ClrCents       int64
	BankCents      int64
	FeeCents       int64 // without VAT
	VATICents      int64 `gorm:"column:vati_cents"`
	RetCents       int64
	What           string // what for, who paid, or why it was taken back
	Reference      string
	ByName         string
	CreatedAt      time.Time
}

// Draft is what a person says of a fee, payout or release. Amounts are cents.
type Draft struct {
	Kind       Kind
	MovementID uuid.UUID // zero: it is of no line of the bank
	Day        calendar.Date
	Currency   string // ZAR where it is empty
	FromBank   bool   // of a fee: the bank took it; else it went off collections in transit
	Gross      int64  // of a fee, with VAT; of a payout, before what was taken off; what was released
	Fee        int64  // of a payout, without VAT
	VAT        int64  // of the fee
	Held       int64  // of a payout
	What       string
	Reference  string
}

const (
	longestWhat      = 100
	longestReference = 50
	mostCents        = 1_000_000_000_000 // of one amount
)

// Net is what comes to the bank: above zero it comes in.
func (d Draft) Net() int64 {
	switch {
	case d.Kind == Released:
		return d.Gross
	case d.Kind == PaidOut:
		return d.Gross - d.Fee - d.VAT - d.Held
	case d.FromBank:
		return -d.Gross
	}
	return 0
}

// record spreads the amounts over the roles.
func (d Draft) record() Record {
	r := Record{Kind: d.Kind, MovementID: d.MovementID, Day: d.Day, Currency: d.Currency, BankCents: d.Net(),
		VATICents: d.VAT, What: d.What, Reference: d.Reference}
	switch d.Kind {
	case Released:
		r.RetCents = -d.Gross
	case PaidOut:
		r.ClrCents, r.FeeCents, r.RetCents = -d.Gross, d.Fee, d.Held
	default:
		r.FeeCents = d.Gross - d.VAT
		if !d.FromBank {
			r.ClrCents = -d.Gross
		}
	}
	return r
}

// Name is what people call it by.
func (r Record) Name() string {
	if r.Reference != "" {
		return r.Reference
	}
	return r.What
}

// Gross is what it is of in all, above zero.
func (r Record) Gross() int64 {
	return max(r.ClrCents, -r.ClrCents, r.BankCents, -r.BankCents)
}

// Says is it in a few words: "Payout PO-77 of R 649.00".
func (r Record) Says() string {
	return r.Kind.Word() + " " + r.Name() + " of " + money.Format(r.Gross(), r.Currency)
}

// told is the record in the audit.
func (r Record) told() map[string]any {
	out := map[string]any{"kind": string(r.Kind), "day": r.Day.String(), "currency": r.Currency, "what": r.What,
		"reference": r.Reference, "clr_cents": r.ClrCents, "bank_cents": r.BankCents, "fee_cents": r.FeeCents,
		"vati_cents": r.VATICents, "ret_cents": r.RetCents}
	if r.MovementID != uuid.Nil {
		out["bank_movement"] = r.MovementID.String()
	}
	return out
}

// mostVAT is the most VAT that a fee without it may bear: the standard rate, and a hundredth of the fee more, since a
// statement adds up what was rounded on each of its lines.
func mostVAT(net int64, on calendar.Date) int64 { return net*rateOn(on)/10000 + net/100 + 1 }

// check finds what is wrong with a draft, on a day.
func (d *Draft) check(today calendar.Date) (wrong fault.Problems) {
	d.What, d.Reference = strings.TrimSpace(d.What), strings.TrimSpace(d.Reference)
	if d.Currency == "" {
		d.Currency = money.ZAR
	}
	switch {
	case d.Day.IsZero() || d.Day.Year < 1991:
		wrong.Add("day", "invalid", "Enter a day such as 2026-10-31.")
	case d.Day.After(today):
		wrong.Add("day", "max_value", "This day is still to come. Enter the day on which it happened.")
	}
	if !currencyForm.MatchString(d.Currency) {
		wrong.Add("currency", "invalid", "%q is not a currency. Use three capitals, such as ZAR.", d.Currency)
	}
	text := func(name, value string, least, most int, want string) {
		if n := utf8.RuneCountInString(value); n < least || n > most || n > 0 && !plain(value) {
			wrong.Add(name, "invalid", "%s, in at most %d characters, beginning with a letter or digit.", want, most)
		}
	}
	what := "Say what it is"
	if d.Kind == PaidOut {
		what = "Say who paid out"
	}
	text("what", d.What, 1, longestWhat, what)
	text("reference", d.Reference, 0, longestReference, "Enter the reference of the statement")
	amount := func(name string, cents int64) {
		if cents < 0 || cents > mostCents {
			wrong.Add(name, "invalid", "Enter an amount up to %s, or leave it empty if there is none.",
				money.Format(mostCents, d.Currency))
		}
	}
	if d.Gross <= 0 || d.Gross > mostCents {
		wrong.Add("gross", "min_value", "Enter an amount above zero, up to %s.", money.Format(mostCents, d.Currency))
	}
	amount("vat", d.VAT)
	net := d.Fee
	switch d.Kind {
	case FeeTaken:
		d.Fee, d.Held = 0, 0
		net = d.Gross - d.VAT
	case Released:
		d.Fee, d.VAT, d.Held = 0, 0, 0
	case PaidOut:
		amount("fee", d.Fee)
		amount("held", d.Held)
		if len(wrong) == 0 && d.Net() < 0 {
			wrong.Add("gross", "min_value", "The fee, its VAT and what is held back are more than was collected.")
		}
	default:
		wrong.Add("kind", "invalid_choice", "Choose a fee, a payout or a release.")
	}
	if len(wrong) == 0 && d.VAT > 0 && d.VAT > mostVAT(net, d.Day) {
		wrong.Add("vat", "max_value", "This is not VAT of that fee. Enter it as the statement has it, or leave it empty.")
	}
	return wrong
}

// Record records a fee, a payout or a release, with its entry. One that is of a line of the bank has its day and
// amount, and settles it.
func (s *Service) Record(ctx context.Context, who actor.Actor, d Draft) (r Record, err error) {
	if err := who.May(actor.Books); err != nil {
		return r, err
	}
	wrong := d.check(calendar.DateOf(s.Store.Now()))
	if err := wrong.Err(); err != nil {
		return r, err
	}
	return r, s.Store.InTx(ctx, func(tx *database.Tx) error {
		r = d.record()
		r.ID, r.MerchantID, r.ByName, r.CreatedAt = tx.NewID(), who.MerchantID, who.Name, tx.Now()
		if d.MovementID != uuid.Nil {
			if err := ofMovement(tx, who, r); err != nil {
				return err
			}
		}
		held, err := holdRetention(tx, who.MerchantID, d.Currency)
		if err != nil {
			return err
		}
		if r.RetCents < 0 && held+r.RetCents < 0 {
			return fault.At("gross", "max_value", "Only %s is held back.", money.Format(held, d.Currency))
		}
		tx.Create(&r)
		tx.Audit(who, audit.Entry{Action: "books.recorded", ObjectType: "book_record", ObjectID: r.ID,
			Text: r.Says() + " was recorded.", Before: map[string]any{"held_back_cents": held},
			After: with(r.told(), "held_back_cents", held+r.RetCents)})
		return tx.Answered(r)
	})
}

// ofMovement settles the line of the bank that a record is of, if it is that amount on that day.
func ofMovement(tx *database.Tx, who actor.Actor, r Record) error {
	as := exchange.EntryOther
	if r.Kind == FeeTaken {
		as = exchange.EntryFee
	}
	n, err := exchange.Store{DB: tx.DB()}.Record(tx, who, r.MovementID, as, "In the books: "+r.Kind.Word()+" "+r.Name())
	if err != nil {
		return err
	}
	booked := n.AmountCents
	if !n.Credit {
		booked = -booked
	}
	switch {
	case r.BankCents != booked || r.Currency != n.Currency:
		return fault.At("gross", "differs", "This is %s your bank account, and the bank booked %s it.",
			wayOf(r.BankCents, r.Currency), wayOf(booked, n.Currency))
	case r.Day != n.BookedOn:
		return fault.At("day", "differs", "The bank booked it on %s.", n.BookedOn.Format("Mon 2 Jan 2006"))
	}
	return nil
}

// with is the facts with one more.
func with(facts map[string]any, name string, value any) map[string]any {
	facts[name] = value
	return facts
}

// Undo takes a record back, for a reason: it posts the same the other way round, today.
func (s *Service) Undo(ctx context.Context, who actor.Actor, id uuid.UUID, reason string) (r Record, err error) {
	if err := who.May(actor.Books); err != nil {
		return r, err
	}
	reason = strings.TrimSpace(reason)
	if n := utf8.RuneCountInString(reason); n == 0 || n > reasonLength {
		return r, fault.At("reason", "required", "Say why, in at most %d characters.", reasonLength)
	}
	return r, s.Store.InTx(ctx, func(tx *database.Tx) error {
		of, err := Store{tx.DB()}.record(tx.Context(), who.MerchantID, id)
		if err != nil {
			return err
		}
		if of.MovementID != uuid.Nil { // lines of the bank before the books, as Record does
			if err := (exchange.Store{DB: tx.DB()}).Unrecord(tx, who, of.MovementID); err != nil {
				return err
			}
		}
		held, err := holdRetention(tx, who.MerchantID, of.Currency)
		if err != nil {
			return err
		}
		undone, err := Store{tx.DB()}.undone(tx.Context(), who.MerchantID, id)
		switch {
		case err != nil:
			return err
		case of.Kind == TakenBack || undone:
			return fault.New(fault.Conflict, "taken_back", "This was taken back already.")
		case of.RetCents > 0 && held < of.RetCents:
			return fault.New(fault.Conflict, "released",
				"Part of what this payout held back was released. Take that release back first.")
		}
		r = Record{ID: tx.NewID(), MerchantID: who.MerchantID, Kind: TakenBack, Undoes: of.ID,
			Day: calendar.DateOf(tx.Now()), Currency: of.Currency, ClrCents: -of.ClrCents, BankCents: -of.BankCents,
			FeeCents: -of.FeeCents, VATICents: -of.VATICents, RetCents: -of.RetCents, What: reason, Reference: of.Name(),
			ByName: who.Name, CreatedAt: tx.Now()}
		tx.Create(&r)
		tx.Audit(who, audit.Entry{Action: "books.taken_back", ObjectType: "book_record", ObjectID: of.ID,
			Text: of.Says() + " was taken back: " + reason, Before: with(of.told(), "held_back_cents", held),
			After: map[string]any{"taken_back_by": r.ID.String(), "reason": reason, "held_back_cents": held + r.RetCents}})
		return tx.Answered(r)
	})
}

// Recorded is one record, and what became of it.
type Recorded struct {
	Record
	Booked    calendar.Date // the day of its entry; another one where that month was closed
	UndoneID  uuid.UUID     // what took it back; zero: it stands
	UndoneWhy string
	UndoneBy  string
}

// RecordPlace is where a page of records begins: behind that one. Zero: at the newest.
type RecordPlace struct {
	Day calendar.Date
	ID  uuid.UUID
}

// Recorded gives one record.
func (s *Service) Recorded(ctx context.Context, who actor.Actor, id uuid.UUID) (Recorded, error) {
	if err := who.May(actor.Read); err != nil {
		return Recorded{}, err
	}
	return s.Store.recorded(ctx, who.MerchantID, id)
}

// Records are fees, payouts, releases and what took them back, newest first. Next is zero on the last page.
func (s *Service) Records(ctx context.Context, who actor.Actor, after RecordPlace) (page []Recorded, next RecordPlace,
	err error) {
	if err := who.May(actor.Read); err != nil {
		return nil, next, err
	}
	page, err = s.Store.records(ctx, who.MerchantID, after, pageOfEntries+1)
	if len(page) > pageOfEntries {
		page = page[:pageOfEntries]
		last := page[pageOfEntries-1]
		next = RecordPlace{last.Day, last.ID}
	}
	return page, next, err
}

// Held is what providers hold back, by currency; none where nothing is held.
func (s *Service) Held(ctx context.Context, who actor.Actor) (map[string]int64, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.held(ctx, who.MerchantID)
}

// Currencies are those that anything is posted in.
func (s *Service) Currencies(ctx context.Context, who actor.Actor) ([]string, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.currencies(ctx, who.MerchantID)
}

// Line is a movement of the bank that waits for a match, to be recorded; a conflict where it waits no longer.
func (s *Service) Line(ctx context.Context, who actor.Actor, id uuid.UUID) (exchange.Entry, error) {
	if err := who.May(actor.Read); err != nil {
		return exchange.Entry{}, err
	}
	n, err := s.Store.line(ctx, who.MerchantID, id)
	if err != nil {
		return n, err
	}
	return n, n.Waits()
}

// wayOf is an amount and its way at the bank account, without a sign.
func wayOf(cents int64, currency string) string {
	if cents < 0 {
		return money.Format(-cents, currency) + " out of"
	}
	return money.Format(cents, currency) + " into"
}
