package trail

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

// Store is where the audit trail is kept. Units of work write it.
type Store struct{ *database.DB }

// Subject is whose time line is asked for: a client's or a purchase's. Merged are the clients who were merged into the
// client: what happened to them is shown too, but for their own line about the merge.
type Subject struct {
	ClientID, PurchaseID uuid.UUID
	Merged               []uuid.UUID
}

// foundRow is an entry with its place in the chain, as it is read.
type foundRow struct {
	database.Audited `gorm:"embedded"`
	N                int64
	Hash             []byte
}

func (r foundRow) found() Found { return Found{r.Read(), r.N, r.Hash} }

// Timeline gives the entries about one client or purchase, newest first.
func (s Store) Timeline(ctx context.Context, merchantID uuid.UUID, of Subject,
	ask paging.Ask) (paging.Page[audit.Entry], error) {
	about, id := "purchase_id", of.PurchaseID
	if id == uuid.Nil {
		about, id = "client_id", of.ClientID
	}
	list := s.Gorm(ctx)
	if len(of.Merged) == 0 {
		list = list.Where(about+" = ?", id)
	} else {
		list = list.Where("client_id IN ? AND (client_id = ? OR action NOT IN ('client.merged_away', 'client.brought_back'))",
			append([]uuid.UUID{id}, of.Merged...), id)
	}
	var entries []database.Audited
	if err := database.PageOf(list, "merchant_id", merchantID, ask).Find(&entries).Error; err != nil {
		return paging.Page[audit.Entry]{}, fmt.Errorf("time line: %w", err)
	}
	return paging.Cut(ask, database.EntriesOf(entries)), nil
}

// walk is the way to what a filter lets through. Objects, people and days have an
// index; anything else is looked at entry by entry.
func (s Store) walk(ctx context.Context, merchantID uuid.UUID, f Filter) (*listing.Walk, error) {
	w := &listing.Walk{Columns: "*", From: "audit_entries"}
	w.And("merchant_id = ?", merchantID)
	w.Unsorted = !f.From.IsZero() || !f.To.IsZero()
	if f.ObjectID != uuid.Nil {
		const order = " ORDER BY merchant_id @direction, id @direction"
		const of, next = "(SELECT * FROM audit_entries WHERE merchant_id = ? AND ", order + ") UNION ALL "
		w.From, w.Unsorted = "("+of+"object_id = ? AND client_id IS DISTINCT FROM object_id "+
			"AND purchase_id IS DISTINCT FROM object_id"+
			next+of+"client_id = ?"+next+of+"purchase_id = ? AND client_id IS DISTINCT FROM ?"+
			order+")) AS about", false
		m, o := merchantID, f.ObjectID
		w.Args = append([]any{m, o, m, o, m, o, o}, w.Args...)
	}
	if f.ActorID != uuid.Nil {
		var person bool
		err := s.Gorm(ctx).Raw("SELECT EXISTS (SELECT FROM users WHERE id = ?)", f.ActorID).Scan(&person).Error
		if err != nil {
			return nil, fmt.Errorf("look who acted: %w", err)
		}
		if person {
			w.Unsorted = false
			w.And("actor_kind = 'user' AND actor_id = ?", f.ActorID)
		} else {
			w.Fitting("actor_id = ?", f.ActorID)
		}
	}
	if !f.From.IsZero() {
		w.And("id >= ? AND at >= ?", paging.FirstAt(f.From), f.From)
	}
	if !f.To.IsZero() {
		w.And("id < ? AND at <= ?", paging.ToID(f.To), f.To) // an entry gets its id after its moment
	}
	if f.Area != "" {
		w.Fitting("starts_with(action, ?)", f.Area+".")
	}
	if f.Kind != "" {
		w.Fitting("actor_kind = ?", string(f.Kind))
	}
	if f.IP != "" {
		w.Fitting("ip = ?", f.IP)
	}
	if f.Search != "" {
		like := database.Holding(f.Search)
		w.Fitting("(text ILIKE ? OR actor_name ILIKE ? OR action ILIKE ?)", like, like, like)
	}
	return w, nil
}

// Page gives a page of what a filter lets through, newest first. A search that has looked at many entries
// without filling the page says how far it came, and goes on from there.
func (s Store) Page(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (paging.Page[Found], error) {
	w, err := s.walk(ctx, merchantID, f)
	if err != nil {
		return paging.Page[Found]{}, err
	}
	order := "e.merchant_id DESC, e.id DESC"
	if ask.Newer {
		order = "e.merchant_id, e.id"
	}
	page, err := listing.PageOf[foundRow](ctx, s.DB, w, ask, func(page string) string {
		return "SELECT e.*, l.n, l.hash FROM (" + page +
			") e LEFT JOIN audit_links l ON l.entry_id = e.id ORDER BY " + order
	})
	return paging.Map(page, foundRow.found), err
}

// count counts what a filter lets through, up to limit. It is not known where each entry
// would have to be looked at.
func (s Store) count(ctx context.Context, merchantID uuid.UUID, f Filter,
	limit int64) (n int64, known bool, err error) {
	w, err := s.walk(ctx, merchantID, f)
	if err != nil || w.Fits != "" {
		return 0, false, err
	}
	if n, err = w.Count(ctx, s.DB, limit); err != nil {
		return 0, false, fmt.Errorf("count the audit: %w", err)
	}
	return n, true, nil
}

func (s Store) entry(ctx context.Context, merchantID, id uuid.UUID) (Found, error) {
	var row foundRow
	err := s.Gorm(ctx).Raw(`SELECT e.*, l.n, l.hash FROM audit_entries e LEFT JOIN audit_links l ON l.entry_id = e.id
		WHERE e.merchant_id = ? AND e.id = ?`, merchantID, id).Take(&row).Error
	return row.found(), err
}
