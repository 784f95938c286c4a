package message

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
	"debitdesk/models/sms"
	"debitdesk/models/texting"
)

// Store reads messages where mails and SMS are kept.
type Store struct{ *database.DB }

// row is a message as the parts below have it. The words of SMS are sealed; those of mails are read for one mail alone.
type row struct {
	Message    `gorm:"embedded"`
	TextSealed []byte
}

// opened is a message that was read, with the words of an SMS.
func (s Store) opened(r row) (m Message, err error) {
	if m = r.Message; m.Channel == SMS && r.TextSealed != nil {
		m.Text, _, err = texting.OpenText(s.Seal, m.MerchantID, m.ID, r.TextSealed)
	}
	return m, err
}

// named is a page of messages with the names of their clients.
var named = "SELECT m.*, coalesce(" + client.NameIn("c.") + `, '') AS client FROM (%s) AS m
	LEFT JOIN clients c ON c.merchant_id = m.merchant_id AND c.id = m.client_id`

// statuses are the states in which the channels keep theirs; what was not delivered is read by its indexes.
var statuses = map[State][]string{
	Waiting: {"queued"},
	Sent:    {"sent", string(sms.Delivered)},
}

// The parts of the list, one of each channel. That a mail is to a client is said so that the index of the mails of
// clients, which has another order, is not read for it.
const (
	ofMails = `SELECT id, merchant_id, client_id, purchase_id, 'mail' AS channel, kind, recipient, subject,
		NULL::bytea AS text_sealed, state, error AS why, 0 AS parts, created_at,
		sent_at FROM %s WHERE num_nonnulls(client_id) <> 0`
	ofSMS = `SELECT id, merchant_id, client_id, purchase_id, 'sms' AS channel, kind, recipient, '' AS subject, text_sealed,
		state, why, parts, created_at, sent_at FROM %s WHERE num_nonnulls(client_id) <> 0`
)

// unsent are few, and each channel has an index of them.
const (
	unsentMails = ` AND state = 'failed'`
	unsentSMS   = ` AND state IN ('failed', 'expired', 'skipped')`
)

// walk is the way to what a filter lets through. A client, what did not arrive and days have an index; anything else
// is looked at message by message.
func walk(merchantID uuid.UUID, f Filter) *listing.Walk {
	w := &listing.Walk{Columns: "*", Alias: "messages"}
	var parts []listing.Part
	if f.Channel != SMS {
		parts = append(parts, part(ofMails, "mails", unsentMails, merchantID, f))
	}
	if f.Channel != Mail {
		parts = append(parts, part(ofSMS, "sms_messages", unsentSMS, merchantID, f))
	}
	w.From, w.Args = listing.Merged(parts...)
	w.From += " AS messages"
	w.And("merchant_id = ?", merchantID)
	w.FittingTime("created_at", f.From, f.To)
	w.Unsorted = f.ClientID == uuid.Nil // each part has the order of an index
	if of := statuses[f.State]; of != nil {
		w.Fitting("state = ANY(?::text[])", database.Texts(of))
	}
	if f.Search != "" {
		text, number := database.Holding(f.Search), database.Holding(dialled(f.Search))
		w.Fitting(`(recipient ILIKE ? OR subject ILIKE ? OR recipient LIKE ? OR EXISTS (SELECT FROM clients c
			WHERE c.merchant_id = messages.merchant_id AND c.id = messages.client_id
			AND (c.full_name ILIKE ? OR c.legal_name ILIKE ?)))`, text, text, number, text, text)
	}
	return w
}

// part is what one channel gives.
func part(of, table, unsent string, merchantID uuid.UUID, f Filter) (p listing.Part) {
	if f.ClientID != uuid.Nil { // few: their own index leads to them
		table = "(SELECT * FROM " + table + " WHERE merchant_id = ? AND client_id = ? OFFSET 0) AS " + table
		p.Args = []any{merchantID, f.ClientID}
	}
	p.SQL, p.Args = fmt.Sprintf(of, table)+" AND merchant_id = ?", append(p.Args, merchantID)
	if f.State == Unsent {
		p.SQL += unsent
	}
	if !f.From.IsZero() {
		p.SQL, p.Args = p.SQL+" AND id >= ?", append(p.Args, paging.FromID(f.From))
	}
	if !f.To.IsZero() {
		p.SQL, p.Args = p.SQL+" AND id < ?", append(p.Args, paging.ToID(f.To))
	}
	return p
}

// dialled is a number as it is kept, where the text looks like one: 082 123 and +27 82 123 are the same.
func dialled(text string) string {
	digits := strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(text)
	if rest, local := strings.CutPrefix(digits, "0"); local {
		return "+27" + rest
	}
	return digits
}

func (s Store) page(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (paging.Page[Message], error) {
	order := " ORDER BY m.id DESC"
	if ask.Newer {
		order = " ORDER BY m.id"
	}
	rows, err := listing.PageOf[row](ctx, s.DB, walk(merchantID, f), ask, func(page string) string {
		return fmt.Sprintf(named, page) + order
	})
	page := paging.Map(rows, func(r row) Message {
		m, wrong := s.opened(r)
		err = errors.Join(err, wrong)
		return m
	})
	return page, err
}

func (s Store) count(ctx context.Context, merchantID uuid.UUID, f Filter) (n int64, known bool, err error) {
	w := walk(merchantID, f)
	if w.Fits != "" && f.ClientID == uuid.Nil {
		return 0, false, nil
	}
	if n, err = w.Count(ctx, s.DB, CountLimit); err != nil {
		return 0, false, fmt.Errorf("count messages: %w", err)
	}
	return n, true, nil
}

func (s Store) message(ctx context.Context, merchantID, id uuid.UUID) (Message, error) {
	one := fmt.Sprintf(ofMails, "mails") + " AND merchant_id = ? AND id = ? UNION ALL " +
		fmt.Sprintf(ofSMS, "sms_messages") + " AND merchant_id = ? AND id = ?"
	var r row
	if err := s.Gorm(ctx).Raw(fmt.Sprintf(named, one), merchantID, id, merchantID, id).Take(&r).Error; err != nil {
		return Message{}, err
	}
	return s.opened(r)
}
