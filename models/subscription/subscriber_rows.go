package subscription

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
	"debitdesk/models/webhook"
)

var (
	subscriberTable = table.New("template_clients",
		table.Column[Subscriber]{Name: "debit", Write: func(_ *seal.Box, x *Subscriber) (any,
			error) {
			b, err := json.Marshal(maskedDebit(x.Debit))
			return string(b), err
		}, Read: func(_ *seal.Box, x *Subscriber, stored []byte) error {
			err := json.Unmarshal(stored, &x.Debit.Fields)
			delete(x.Debit.Fields, debtorAccount)
			delete(x.Debit.Fields, debtorID)
			return err
		}},
		table.Column[Subscriber]{Name: "debit_sealed", Write: sealDebtor, Read: openDebtor})
	subscriberMove = subscriberTable.Write(
		`UPDATE template_clients SET @set, version = version + 1 WHERE merchant_id = @merchant_id
			AND id = @id AND version = @version`,
	)
	periodTable  = table.New[Period]("billing_periods")
	periodInsert = periodTable.Write(
		`INSERT INTO billing_periods (@columns, merchant_id, created_at) VALUES (@values, @merchant, @now)`, "merchant",
		"now")
)

func insertSubscriber(tx *database.Tx, x Subscriber) { database.Insert(tx, subscriberTable, x) }

// moveSubscriber is a compare-and-set on the version: the transaction ends with
// fault.ErrLost when another was quicker.
func moveSubscriber(tx *database.Tx, x Subscriber) { database.CompareAndSet(tx, subscriberMove, x) }

// insertPeriod keeps the period key: the transaction ends with fault.ErrLost when the
// period was billed or skipped already.
func insertPeriod(tx *database.Tx, merchantID uuid.UUID, p Period) {
	database.Write(tx, periodInsert, p, merchantID, tx.Now())
}

// TableName implements GORM's Tabler.
func (Subscriber) TableName() string { return "template_clients" }

// TableName implements GORM's Tabler.
func (Period) TableName() string { return "billing_periods" }

// followToken gives subscribers that are charged on one token the other.
func followToken(tx *database.Tx, merchantID, old, next uuid.UUID) {
	tx.Exec(`UPDATE template_clients SET token_id = ?, version = version + 1, updated_at = ?
			WHERE merchant_id = ? AND token_id = ?`, next, tx.Now(), merchantID, old)
}

// endOf makes the subscribers of a client who is deleted inactive, and gives their ids.
func endOf(tx *database.Tx, merchantID, clientID uuid.UUID) (ended []uuid.UUID, err error) {
	err = tx.Gorm().Raw(`UPDATE template_clients SET status = 'inactive', why = 'client_deleted', next_on = NULL,
			next_at = NULL, stored_token = NULL, stored_at = NULL, version = version + 1, updated_at = ?
		WHERE merchant_id = ? AND client_id = ? AND status <> 'inactive' RETURNING id`, tx.Now(), merchantID, clientID).
		Find(&ended).Error
	if err != nil {
		return nil, fmt.Errorf("end subscribers: %w", err)
	}
	return ended, nil
}

// tell keeps an event about a subscriber as it stands in this transaction.
func tell(tx *database.Tx, name string, x Subscriber) {
	tx.Tell(x.MerchantID, name, webhook.ObjectSubscriber, x.ID, x.ID)
}

var (
	subscriberLine = `SELECT s.*, ` + client.NameColumns + `, coalesce(t.state, '') AS account FROM `
	subscriberWith = ` s JOIN clients c ON c.id = s.client_id LEFT JOIN tokens t ON t.id = s.token_id`
	subscriberFrom = subscriberLine + "template_clients" + subscriberWith + " WHERE "
)

func (s Store) subscribers(ctx context.Context, condition string, args ...any) (found []Subscriber, err error) {
	err = s.Gorm(ctx).Raw(subscriberFrom+condition, args...).Find(&found).Error
	return found, err
}

// TemplateClient finds a subscriber with the name and e-mail of its client.
func (s Store) TemplateClient(ctx context.Context, merchantID, id uuid.UUID) (Subscriber, error) {
	return database.First(s.subscribers(ctx, "s.merchant_id = ? AND s.id = ?", merchantID, id))
}

// TemplateClientsByID finds those of some subscribers that there are, in no order.
func (s Store) TemplateClientsByID(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) ([]Subscriber, error) {
	return s.subscribers(ctx, "s.merchant_id = ? AND s.id = ANY(?::uuid[])", merchantID, database.IDs(ids))
}

// TemplateClients gives a page of the subscribers of a template; of all, with the zero id.
func (s Store) TemplateClients(ctx context.Context, merchantID, templateID uuid.UUID, f SubscriberFilter,
	ask paging.Ask) (paging.Page[Subscriber], error) {
	none := paging.Page[Subscriber]{}
	w := subscriberWalk(merchantID, templateID, f)
	direction, _, _ := database.BesideID("s.id", ask)
	order := " ORDER BY s.id " + direction
	if find := s.subscriberFinder(merchantID, templateID, f, w); find != nil {
		ids, reached, err := listing.Find(ctx, s.DB, find, ask)
		if err != nil {
			return none, err
		}
		found, err := s.subscribers(ctx, "s.merchant_id = ? AND s.id = ANY(?::uuid[])"+order, merchantID, database.IDs(ids))
		return paging.CutAt(ask, found, reached), err
	}
	// First comes the page, then what stands beside it.
	return listing.PageOf[Subscriber](ctx, s.DB, w, ask,
		func(page string) string {
			return subscriberLine + "(" + page + ")" + subscriberWith + order
		},
	)
}

// CountTemplateClients counts those of all templates, up to limit; less than 0 where a
// search finds too much to be counted.
func (s Store) CountTemplateClients(ctx context.Context, merchantID uuid.UUID, f SubscriberFilter,
	limit int64) (n int64, err error) {
	w := subscriberWalk(merchantID, uuid.Nil, f)
	if find := s.subscriberFinder(merchantID, uuid.Nil, f, w); find != nil {
		ids, err := listing.FindAll(ctx, s.DB, find)
		if ids == nil {
			return -1, err
		}
		return int64(len(ids)), err
	}
	if f.Concern != "" && f.ClientID == uuid.Nil && f.Status == "" {
		return listing.CountWaiting(ctx, s.DB, merchantID, string(f.Concern))
	}
	if n, err = w.Count(ctx, s.DB, limit); err != nil {
		return 0, fmt.Errorf("count subscribers: %w", err)
	}
	return n, nil
}

// subscriberWhere is the condition of a filter, whatever its words, and whether an account waits.
func subscriberWhere(merchantID, templateID uuid.UUID, f SubscriberFilter) (where string, args []any) {
	where, args = "s.merchant_id = ?", []any{merchantID}
	and := func(condition string, arg any) { where, args = where+" AND "+condition, append(args, arg) }
	if templateID != uuid.Nil {
		and("s.template_id = ?", templateID)
	}
	if f.ClientID != uuid.Nil {
		and("s.client_id = ?", f.ClientID)
	}
	if f.Status != "" {
		and("s.status = ?", string(f.Status))
	}
	return where, args
}

// subscriberWalk is the way to the subscribers of a filter, whatever its words. Those of a template, which is of one
// merchant, stand in an index in order.
func subscriberWalk(merchantID, templateID uuid.UUID, f SubscriberFilter) *listing.Walk {
	w := &listing.Walk{Columns: "s.*", From: "template_clients AS s", Alias: "s", Key: "s.id", Most: listing.MostJoined}
	switch {
	case f.Concern != "":
		w.From, w.Args = listing.Waiting("template_clients", string(f.Concern), "", merchantID)
		w.From, w.Key, w.Ordered = w.From+" AS s", "s.object_id", true
		w.Unsorted = true
	case templateID != uuid.Nil && f.ClientID == uuid.Nil && f.Status == "":
		w.From, w.Args = listing.IDsFirst(
			"template_clients",
			"s",
			"merchant_id",
			" AND template_id = ?",
			merchantID,
			merchantID,
			templateID,
		)
		w.Key, w.Ordered = "w.id", true
	case templateID != uuid.Nil && f.ClientID == uuid.Nil:
		w.From, w.Args = listing.IDsFirst(
			"template_clients",
			"s",
			"template_id",
			" AND status = ?",
			merchantID,
			templateID,
			string(f.Status),
		)
		w.Key, w.Ordered = "w.id", true
	case f.ClientID != uuid.Nil:
		w.By = "client_id"
	}
	where, args := subscriberWhere(merchantID, templateID, f)
	if f.Concern != "" { // no more of what waits is read than a page looks at
		w.And("true")
		w.Fitting(where, args...)
		return w
	}
	w.And(where, args...)
	return w
}

// subscriberFinder searches subscribers by the words of their clients; nil where nothing
// was typed.
func (s Store) subscriberFinder(merchantID, templateID uuid.UUID, f SubscriberFilter,
	of *listing.Walk) *listing.Search {
	if strings.TrimSpace(f.Search) == "" {
		return nil
	}
	find := &listing.Search{Query: database.SearchFor(merchantID, f.Search), Walk: *of,
		Words: listing.Vector("(SELECT c.search FROM clients c WHERE c.id = s.client_id)")}
	if len(find.Query.Words()) == 0 {
		find.Walk.And("false")
		return find
	}
	where, args := subscriberWhere(merchantID, templateID, f)
	if f.Concern != "" {
		where, args = where+" AND "+listing.Waits("s.id", string(f.Concern), ""), append(args, merchantID)
	}
	find.Arms = []listing.Arm{
		client.Among(s.DB, find, merchantID, "template_clients AS s WHERE s.client_id = k.client AND "+where,
			args...),
	}
	return find
}

// SubscribersOn lists the subscribers that are charged on a token and not over.
func (s Store) SubscribersOn(ctx context.Context, merchantID, tokenID uuid.UUID) ([]Subscriber, error) {
	return s.subscribers(ctx, "s.merchant_id = ? AND s.token_id = ? AND s.status <> 'inactive' ORDER BY s.id", merchantID,
		tokenID)
}

// runningOn lists the subscribers of a template that are not over, up to a limit.
func (s Store) runningOn(ctx context.Context, merchantID, templateID uuid.UUID, limit int) ([]Subscriber, error) {
	return s.subscribers(ctx, fmt.Sprintf(`s.merchant_id = ? AND s.template_id = ? AND s.status <> 'inactive'
		ORDER BY s.id LIMIT %d`, limit), merchantID, templateID)
}

// RunningOf lists the subscriptions of a client that are not over.
func (s Store) RunningOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]Subscriber, error) {
	return s.subscribers(ctx, "s.merchant_id = ? AND s.client_id = ? AND s.status <> 'inactive' ORDER BY s.id", merchantID,
		clientID)
}

// Snapshot reads what an event kept of a subscriber, with the masks of its numbers.
func (s Store) Snapshot(kept []byte) (Subscriber, error) {
	var parts struct {
		Subscriber json.RawMessage
		Client     struct {
			Name  string `json:"full_name"`
			Email string
		}
	}
	if err := json.Unmarshal(kept, &parts); err != nil {
		return Subscriber{}, fmt.Errorf("read snapshot: %w", err)
	}
	x, err := subscriberTable.FromJSON(s.Seal, parts.Subscriber)
	if err != nil {
		return x, err
	}
	var masks struct{ Debit map[string]any }
	if err := json.Unmarshal(parts.Subscriber, &masks); err != nil {
		return x, fmt.Errorf("read snapshot: %w", err)
	}
	account, _ := masks.Debit[debtorAccount].(string)
	identity, _ := masks.Debit[debtorID].(string)
	x.Debit.DebtorAccount, x.Debit.DebtorID = bank.AccountNumber(account), bank.IDNumber(identity)
	x.ClientName, x.ClientEmail = parts.Client.Name, parts.Client.Email
	return x, nil
}
