// Package clientaccount knows the statement of account of a client: what was billed, credited, paid, refunded and is
// owed, how old that is and how to pay it. It must not know how a statement is drawn or worded.
package clientaccount

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
)

// Months is how far back a statement lists what is settled. What is still owed is listed whatever its age.
const Months = 3

// Statement is the account of a client at one moment, as the client is told.
type Statement struct {
	Client     client.Client
	Brand      merchant.Brand // in whose name it is written
	At         time.Time      // the moment; what was booked by then counts
	Since      calendar.Date  // the first day of which everything is listed
	Account    report.Account // all of it: its sums are those of the statement
	Lines      []Line         // oldest first
	Earlier    report.Sums    // of what is not listed: it moved before Since and nothing of it is owed
	HasEarlier bool
	Payees     []*Payee
	Debited    bool   // something is owed that is not to be paid by EFT: it is being debited, or disputed
	Letterhead []byte // the logo as PNG; nil: none
	Reads      locale.Language
}

// Line is a purchase on a statement.
type Line struct {
	report.AccountLine
	What  string // what it is for: its first product; empty: not said
	Brand string // the brand it was bought from, where the client buys from several
}

// Service makes statements.
type Service struct {
	Money     *report.Money
	Clients   client.Store
	Purchases purchase.Store
	Merchants merchant.Store
	// BrandOf is the brand in whose name a client knows the business.
	BrandOf func(ctx context.Context, c client.Client) (merchant.Brand, error)
	Now     func() time.Time
	Draw    func(s Statement) ([]byte, error) // as PDF
	InTx    func(context.Context, func(*database.Tx) error) error
	Letters Letters
}

// Moment is that at which a statement of a day is made: the end of the day, and today the present.
func (s *Service) Moment(day calendar.Date) time.Time {
	if now := s.Now(); report.EndOf(day).After(now) {
		return now
	}
	return report.EndOf(day)
}

// At gives the statement of a client at a moment, in the language in which the client reads.
func (s *Service) At(ctx context.Context, who actor.Actor, clientID uuid.UUID, at time.Time) (st Statement, err error) {
	if st.Account, err = s.Money.AccountAt(ctx, who, clientID, at); err != nil {
		return st, err
	}
	if st.Client, err = s.Clients.Client(ctx, who.MerchantID, clientID); err != nil {
		return st, err
	}
	if st.Brand, err = s.BrandOf(ctx, st.Client); err != nil {
		return st, err
	}
	if st.Letterhead, err = s.Merchants.Letterhead(ctx, st.Brand.Picture()); err != nil {
		return st, err
	}
	st.At, st.Reads = at, st.Brand.Reads(st.Client.Addressed().Language)
	st.Since = st.Account.AsOf.AddMonths(-Months, st.Account.AsOf.Day)
	st.list()
	return st, s.explain(ctx, &st)
}

// list chooses the lines: what is owed, and what moved since the first day. The rest goes into one sum, so that the
// lines add up to the account.
func (st *Statement) list() {
	var earlier []report.AccountLine
	for _, l := range slices.Backward(st.Account.Lines) {
		switch {
		case l.BilledCents() == 0 && l.ReceivedCents == 0 && l.RefundedCents == 0: // it was never owed
		case l.OwedCents() != 0 || !l.MovedAt.Before(st.Since.At(0, 0)):
			st.Lines = append(st.Lines, Line{AccountLine: l})
		default:
			earlier = append(earlier, l)
		}
	}
	st.Earlier, st.HasEarlier = report.AddUp(earlier), len(earlier) > 0
}

// explain says what the lines are for, and to whom what is owed is paid.
func (s *Service) explain(ctx context.Context, st *Statement) error {
	ids := make([]uuid.UUID, len(st.Lines))
	for i, l := range st.Lines {
		ids[i] = l.ID
	}
	bought, err := s.Purchases.PurchasesOf(ctx, st.Client.MerchantID, ids)
	if err != nil {
		return err
	}
	all, err := s.Merchants.Brands(ctx, st.Client.MerchantID)
	if err != nil {
		return err
	}
	brands, of := map[uuid.UUID]merchant.Brand{}, map[uuid.UUID]bool{}
	for _, b := range all {
		brands[b.ID] = b
	}
	for _, p := range bought {
		of[p.BrandID] = true
	}
	var due []Due
	for i := range st.Lines {
		l, p := &st.Lines[i], bought[st.Lines[i].ID]
		if len(p.Details.Products) > 0 {
			l.What = p.Details.Products[0].Name
		}
		if len(of) > 1 {
			l.Brand = brands[p.BrandID].Name
		}
		if l.OwedCents() > 0 {
			due = append(due, Due{Status: l.Status, Brand: brands[p.BrandID], Reference: l.Reference, Currency: l.Currency,
				Cents: l.OwedCents()})
		}
	}
	st.Payees = Payees(due)
	st.Debited = slices.ContainsFunc(due, func(d Due) bool { return !d.byEFT() })
	return nil
}

// PDF draws the statement of a client at a moment.
func (s *Service) PDF(ctx context.Context, who actor.Actor, clientID uuid.UUID, at time.Time) ([]byte, error) {
	st, err := s.At(ctx, who, clientID, at)
	if err != nil {
		return nil, err
	}
	return s.Draw(st)
}

// ref names a statement, so that whoever needs its file draws it as it stood when it was mailed.
func (st Statement) ref() string {
	return purchase.RefIn(st.Reads, purchase.RefAccount+st.Client.ID.String()+":"+strconv.FormatInt(st.At.UnixMicro(), 10))
}

// File draws the statement that a reference names, in the language in which it was mailed. Of a client that was merged
// into another since, it is the statement of that one: what was owed is theirs now, and the moment stays.
func (s *Service) File(ctx context.Context, merchantID uuid.UUID, of string, reads locale.Language) ([]byte, error) {
	id, micros, _ := strings.Cut(of, ":")
	clientID, err := uuid.Parse(id)
	if err != nil {
		return nil, fault.Missing()
	}
	at, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return nil, fault.Missing()
	}
	if clientID, err = s.Clients.LivesOn(ctx, merchantID, clientID); err != nil {
		return nil, err
	}
	st, err := s.At(ctx, actor.SystemOf(merchantID), clientID, time.UnixMicro(at).UTC())
	if err != nil {
		return nil, err
	}
	st.Reads = reads
	return s.Draw(st)
}

// FileName is what the PDF is called.
func (st Statement) FileName() string { return FileName(st.Account.AsOf) }

// FileName is what the PDF of a statement at the end of a day is called.
func FileName(day calendar.Date) string { return "statement-" + day.String() + ".pdf" }
