package message

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
	"debitdesk/models/sms"
)

// Store reads messages where mails and SMS are kept.
type Store struct{ *database.DB }

// view reads the view of the same name. The words of SMS are sealed; those of mails are read for one mail alone.
var view = table.View(table.Column[Message]{Name: "text_sealed", Read: openText})

func openText(box *seal.Box, m *Message, stored []byte) error {
	if m.Channel != SMS {
		return nil
	}
	if len(stored) == 0 {
		m.Text = sms.LinkNotKept
		return nil
	}
	text, err := box.OpenBytes(seal.PlaceOf("sms_messages", "text_sealed", m.MerchantID, m.ID), stored)
	if m.Text = string(text); errors.Is(err, seal.ErrDamaged) {
		m.Text, err = sms.Unread, nil
	}
	return err
}

// named is a page of messages with the names of their clients.
const named = `SELECT m.*, coalesce(nullif(c.full_name, ''), nullif(c.legal_name, ''), nullif(c.brand_name, ''), c.email,
	'') AS client FROM (%s) AS m LEFT JOIN clients c ON c.merchant_id = m.merchant_id AND c.id = m.client_id`

// idLag is how far the id of a message and the moment in which it was written may be apart.
const idLag = 10 * time.Minute

// statuses are the states in which the channels keep theirs.
var statuses = map[State][]string{
	Waiting: {"queued"},
	Sent:    {"sent", string(sms.Delivered)},
	Unsent:  {string(sms.Failed), string(sms.Expired), string(sms.Skipped)},
}

// unsent are read by the indexes of the few that there are, one of each channel.
const unsent = `(SELECT * FROM client_messages WHERE channel = 'mail' AND state = 'failed'
	UNION ALL SELECT * FROM client_messages WHERE channel = 'sms' AND state IN ('failed', 'expired', 'skipped'))
	AS client_messages`

var likeLiteral = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// walk is the way to what a filter lets through. A client, what did not arrive and days have an index; anything else
// is looked at message by message.
func walk(merchantID uuid.UUID, f Filter) *listing.Walk {
	w := &listing.Walk{Columns: "*", From: "client_messages", Alias: "client_messages"}
	w.And("merchant_id = ?", merchantID)
	switch {
	case f.ClientID != uuid.Nil:
		w.From = "(SELECT * FROM client_messages WHERE merchant_id = ? AND client_id = ? OFFSET 0) AS client_messages"
		w.Args = append([]any{merchantID, f.ClientID}, w.Args...)
	case f.State == Unsent:
		w.From = unsent
	}
	if !f.From.IsZero() {
		w.And("id >= ?", paging.FirstAt(f.From.Add(-idLag)))
		w.Fitting("created_at >= ?", f.From)
	}
	if !f.To.IsZero() {
		w.And("id < ?", paging.FirstAt(f.To.Add(idLag)))
		w.Fitting("created_at <= ?", f.To)
	}
	w.Unsorted = f.ClientID == uuid.Nil && !(f.From.IsZero() && f.To.IsZero())
	if f.Channel != "" {
		w.Fitting("channel = ?", string(f.Channel))
	}
	if f.State != "" && w.From != unsent {
		w.Fitting("state = ANY(?::text[])", database.Texts(statuses[f.State]))
	}
	if f.Search != "" {
		text := "%" + likeLiteral.Replace(f.Search) + "%"
		number := "%" + likeLiteral.Replace(dialled(f.Search)) + "%"
		w.Fitting(`(recipient ILIKE ? OR subject ILIKE ? OR recipient LIKE ? OR EXISTS (SELECT FROM clients c
			WHERE c.merchant_id = client_messages.merchant_id AND c.id = client_messages.client_id
			AND (c.full_name ILIKE ? OR c.legal_name ILIKE ?)))`, text, text, number, text, text)
	}
	return w
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
	return listing.Page(ctx, s.DB, view, walk(merchantID, f), ask, func(page string) string {
		return fmt.Sprintf(named, page) + order
	})
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
	return database.First(database.Seek(ctx, s.DB, view,
		fmt.Sprintf(named, "SELECT * FROM client_messages WHERE merchant_id = ? AND id = ?"), merchantID, id))
}
