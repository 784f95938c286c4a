package exchange

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Waiting is what waits of one kind.
type Waiting struct {
	Kind  Kind
	Total Figure `gorm:"embedded"`
}

// Figure is how many there are, and what they come to. Money that goes out is below zero.
type Figure struct {
	Count int64
	Cents int64
}

// MessageFilter narrows the messages to the bank.
type MessageFilter struct {
	Kind     Kind
	States   []MessageState
	From, To time.Time // made between
}

// DocumentFilter narrows what came from the bank.
type DocumentFilter struct {
	ID       uuid.UUID
	State    DocumentState
	From, To time.Time // arrived between
}

// EntryFilter narrows the movements.
type EntryFilter struct {
	ID, ArrivalID uuid.UUID
	State         EntryState
	From, To      calendar.Date // booked between
}

// FindingFilter narrows the findings.
type FindingFilter struct {
	ID, ArrivalID uuid.UUID
	MessageID     string
	State         FindingState
}

// FindingState is whether a finding waits for a person.
type FindingState string

// The states of a finding.
const (
	FindingOpen   FindingState = "open"
	FindingClosed FindingState = "closed"
)

// ItemFilter narrows the items.
type ItemFilter struct {
	ID        uuid.UUID
	MessageID string
	ArrivalID uuid.UUID // answered in this document
	State     ItemState
	Outcome   ItemOutcome
	Day       calendar.Date // the debit date; with Part: the day whose figure it is
	Part      DayPart
}

// ItemOutcome groups what the bank has said of items.
type ItemOutcome string

// The groups.
const (
	OutcomeNone ItemOutcome = "none" // no answer yet
	OutcomePaid ItemOutcome = "paid"
	OutcomeBack ItemOutcome = "back" // not paid, returned, disputed or failed
)

// ItemLine is an item with the purchase that it belongs to.
type ItemLine struct {
	Item       `gorm:"embedded"`
	PurchaseID uuid.UUID
	Reference  string // of the purchase
	ClientName string
	Code       string // the bank's, with the outcome
	DayCents   int64  // what it adds to the expected sum of the day that was asked for
	Named      string // of a candidate: by what the text of the movement names it
}

// EntryLine is a movement with the purchase that it belongs to.
type EntryLine struct {
	Entry      `gorm:"embedded"`
	PurchaseID uuid.UUID
	Reference  string `gorm:"column:purchase_reference"`
	ClientName string
	Pays       int // how many purchases money of it is booked on: the purchase is the first of them
}

// looking reads for a person who may look.
func looking[T any](who actor.Actor, read func(of uuid.UUID) (T, error)) (found T, err error) {
	if err := who.May(actor.Read); err != nil {
		return found, err
	}
	return read(who.MerchantID)
}

func pageOf[T any](who actor.Actor, ask paging.Ask, read func(of uuid.UUID) ([]T, error)) (paging.Page[T], error) {
	found, err := looking(who, read)
	return paging.Cut(ask, found), err
}

// named is the one record of an id. No id is nobody's: a filter without one would find any.
func named[T any](id uuid.UUID, read func(paging.Ask) (paging.Page[T], error)) (one T, err error) {
	if id == uuid.Nil {
		return one, fault.Missing()
	}
	page, err := read(paging.Ask{Limit: 1})
	switch {
	case err != nil:
		return one, err
	case len(page.Items) == 0:
		return one, fault.Missing()
	}
	return page.Items[0], nil
}

// Waits is what CutNow would put into messages.
func (s *Service) Waits(ctx context.Context, who actor.Actor) ([]Waiting, error) {
	return looking(who, func(of uuid.UUID) ([]Waiting, error) {
		found, err := s.Store.WaitingByKind(ctx, of, farAhead(s.Now()))
		slices.SortFunc(found, func(a, b Waiting) int { return slices.Index(Kinds, a.Kind) - slices.Index(Kinds, b.Kind) })
		return found, err
	})
}

// Leaving is what leaves at the next cut, by its debit date and method.
type Leaving struct {
	Kind   Kind
	Method bank.Method
	Day    calendar.Date
	Total  Figure `gorm:"embedded"`
}

// beforeCut is how long before a cut the pages show what will leave with it (ours).
const beforeCut = 30 * time.Minute

// LeavesSoon lists what leaves at the next cut, when that is near.
func (s *Service) LeavesSoon(ctx context.Context, who actor.Actor) (soon bool, found []Leaving, err error) {
	at := s.NextCut()
	if at.Sub(s.Now()) > beforeCut {
		return false, nil, nil
	}
	found, err = looking(who, func(of uuid.UUID) ([]Leaving, error) { return s.Store.leavingBy(ctx, of, at) })
	return true, found, err
}

// NextCut is when messages leave next.
func (s *Service) NextCut() time.Time { return s.Rules.NextCut(s.Calendar, s.Now()) }

// LeavesEvery is how often requests, cancellations and recalls leave.
func (s *Service) LeavesEvery() time.Duration { return s.Rules.every() }

// Messages lists the messages to the bank.
func (s *Service) Messages(ctx context.Context, who actor.Actor, f MessageFilter,
	ask paging.Ask) (paging.Page[Message], error) {
	return pageOf(who, ask, func(of uuid.UUID) ([]Message, error) { return s.Store.ExchangeMessages(ctx, of, f, ask) })
}

// CountMessages counts the messages of a list by state, whatever states it is narrowed to.
func (s *Service) CountMessages(ctx context.Context, who actor.Actor, f MessageFilter) (map[MessageState]int64, error) {
	return looking(who, func(of uuid.UUID) (map[MessageState]int64, error) { return s.Store.CountMessages(ctx, of, f) })
}

// MessageSheet is a message with all that is known of it.
type MessageSheet struct {
	Message
	Groups  []Group
	Refused Tally  // waits for a decision
	Yours   string // why the person who looks cannot approve it: they made it; empty: they did not
	History []audit.Entry
}

// Sheet is a message with its groups and what happened to it.
func (s *Service) Sheet(ctx context.Context, who actor.Actor, id string) (MessageSheet, error) {
	return looking(who, func(of uuid.UUID) (sheet MessageSheet, err error) {
		if sheet.Message, sheet.Groups, err = s.Store.Message(ctx, of, id); err != nil {
			return sheet, err
		}
		refused, err := s.Store.RefusedIn(ctx, of, []string{id})
		if err != nil {
			return sheet, err
		}
		sheet.Refused = refused[id]
		if sheet.State == Held && who.Kind == actor.User {
			if sheet.Yours, err = s.madeBy(ctx, sheet.Message, who); err != nil {
				return sheet, err
			}
		}
		sheet.History, err = s.Store.MessageHistory(ctx, of, sheet.Message)
		return sheet, err
	})
}

// RefusedIn counts what waits for a person's decision in each of some messages.
func (s *Service) RefusedIn(ctx context.Context, who actor.Actor, messageIDs []string) (map[string]Tally, error) {
	return looking(who, func(of uuid.UUID) (map[string]Tally, error) { return s.Store.RefusedIn(ctx, of, messageIDs) })
}

// Items lists items.
func (s *Service) Items(ctx context.Context, who actor.Actor, f ItemFilter, ask paging.Ask) (paging.Page[ItemLine],
	error) {
	return pageOf(who, ask, func(of uuid.UUID) ([]ItemLine, error) { return s.Store.ItemLines(ctx, of, f, ask) })
}

// CountItems counts and sums items.
func (s *Service) CountItems(ctx context.Context, who actor.Actor, f ItemFilter) (Figure, error) {
	return looking(who, func(of uuid.UUID) (Figure, error) { return s.Store.CountItems(ctx, of, f) })
}

// LateOn counts the debits of a day that missed their deadline and wait for a person.
func (s *Service) LateOn(ctx context.Context, who actor.Actor, day calendar.Date) (Figure, error) {
	return s.CountItems(ctx, who, ItemFilter{State: ItemLate, Day: day})
}

// Line is one item.
func (s *Service) Line(ctx context.Context, who actor.Actor, id uuid.UUID) (ItemLine, error) {
	return named(id, func(ask paging.Ask) (paging.Page[ItemLine], error) {
		return s.Items(ctx, who, ItemFilter{ID: id}, ask)
	})
}

// Candidates are items that a movement may belong to: of the same amount, those that wait for their outcome first.
func (s *Service) Candidates(ctx context.Context, who actor.Actor, e Entry, search string, limit int) ([]ItemLine,
	error) {
	return looking(who, func(of uuid.UUID) ([]ItemLine, error) { return s.Store.Candidates(ctx, of, e, search, limit) })
}

// Documents lists what came from the bank.
func (s *Service) Documents(ctx context.Context, who actor.Actor, f DocumentFilter, ask paging.Ask) (
	paging.Page[Document], error) {
	return pageOf(who, ask, func(of uuid.UUID) ([]Document, error) { return s.Store.Documents(ctx, of, f, ask) })
}

// CountDocuments counts what came from the bank by state, whatever state the list is narrowed to.
func (s *Service) CountDocuments(ctx context.Context, who actor.Actor, f DocumentFilter) (map[DocumentState]int64,
	error) {
	return looking(who, func(of uuid.UUID) (map[DocumentState]int64, error) { return s.Store.CountDocuments(ctx, of, f) })
}

// Document is one that came from the bank.
func (s *Service) Document(ctx context.Context, who actor.Actor, id uuid.UUID) (Document, error) {
	return named(id, func(ask paging.Ask) (paging.Page[Document], error) {
		return s.Documents(ctx, who, DocumentFilter{ID: id}, ask)
	})
}

// Movements lists what the bank booked.
func (s *Service) Movements(ctx context.Context, who actor.Actor, f EntryFilter, ask paging.Ask) (
	paging.Page[EntryLine], error) {
	return pageOf(who, ask, func(of uuid.UUID) ([]EntryLine, error) { return s.Store.BankMovements(ctx, of, f, ask) })
}

// CountMovements counts and sums what the bank booked by state, whatever state the list is narrowed to.
func (s *Service) CountMovements(ctx context.Context, who actor.Actor, f EntryFilter) (map[EntryState]Figure, error) {
	return looking(who, func(of uuid.UUID) (map[EntryState]Figure, error) { return s.Store.CountMovements(ctx, of, f) })
}

// Movement is one that the bank booked.
func (s *Service) Movement(ctx context.Context, who actor.Actor, id uuid.UUID) (EntryLine, error) {
	return named(id, func(ask paging.Ask) (paging.Page[EntryLine], error) {
		return s.Movements(ctx, who, EntryFilter{ID: id}, ask)
	})
}

// Findings lists what people have to look at, or had.
func (s *Service) Findings(ctx context.Context, who actor.Actor, f FindingFilter, ask paging.Ask) (
	paging.Page[Finding], error) {
	return pageOf(who, ask, func(of uuid.UUID) ([]Finding, error) { return s.Store.ExchangeFindings(ctx, of, f, ask) })
}

// CountFindings counts them.
func (s *Service) CountFindings(ctx context.Context, who actor.Actor, f FindingFilter) (int64, error) {
	return looking(who, func(of uuid.UUID) (int64, error) { return s.Store.CountFindings(ctx, of, f) })
}

// Finding is one.
func (s *Service) Finding(ctx context.Context, who actor.Actor, id uuid.UUID) (Finding, error) {
	return named(id, func(ask paging.Ask) (paging.Page[Finding], error) {
		return s.Findings(ctx, who, FindingFilter{ID: id}, ask)
	})
}

// LateDay is the debit date that a finding about a missed deadline is about.
func (f Finding) LateDay() (calendar.Date, bool) {
	const id = len("00000000-0000-0000-0000-000000000000:")
	if f.Kind != MissedDeadline || len(f.Subject) <= id {
		return calendar.Date{}, false
	}
	day, err := calendar.ParseDate(f.Subject[id:])
	return day, err == nil
}

// UUID names a message where ids are UUIDs: in the audit, and as a place in a list.
func (m Message) UUID() (id uuid.UUID) {
	copy(id[:8], prefixes[m.Kind])
	binary.BigEndian.PutUint64(id[8:], uint64(m.Number)) //nolint:gosec // numbers count from one
	return id
}

// NumberOf is the kind and number of the message that a UUID names.
func NumberOf(id uuid.UUID) (k Kind, number int64) {
	for kind, prefix := range prefixes {
		if string(id[:len(prefix)]) == prefix {
			k = kind
		}
	}
	return k, int64(binary.BigEndian.Uint64(id[8:])) //nolint:gosec // numbers count from one
}
