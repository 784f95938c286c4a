package subscription

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/mail"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
)

// lettersAtOnce is how many clients are told of a price in one transaction.
const lettersAtOnce = 500

// priceLetters are those of one change that have not left.
type priceLetters struct{ ChangeID, MerchantID, TemplateID uuid.UUID }

// priceLetter is what one client is told.
type priceLetter struct {
	N        int
	ClientID uuid.UUID
	Words    []byte // of purchase.NewPrice
}

// TellPrices writes the letters of price changes that wait, some hundred in a transaction. Each row is taken by one
// process and with its mail, so that it may be repeated, run in several processes and be ended at any moment.
func (s *Service) TellPrices(ctx context.Context) error {
	waiting, err := s.Store.lettersWaiting(ctx)
	if err != nil {
		return err
	}
	var wrong []error
	for _, l := range waiting {
		for n, err := s.tell(ctx, l); n > 0 || err != nil; n, err = s.tell(ctx, l) {
			if err != nil {
				wrong = append(wrong, fmt.Errorf("tell of the price of template %s: %w", l.TemplateID, err))
				break
			}
		}
	}
	return errors.Join(wrong...)
}

// tell is one transaction of letters. It gives how many rows are done with.
func (s *Service) tell(ctx context.Context, l priceLetters) (n int, err error) {
	atOnce := s.LettersAtOnce
	if atOnce == 0 {
		atOnce = lettersAtOnce
	}
	t, err := s.Store.AnyTemplate(ctx, l.MerchantID, l.TemplateID)
	if err != nil {
		return 0, err
	}
	b, err := s.Purchases.Merchants().Brand(ctx, t.MerchantID, t.BrandID)
	if err != nil {
		return 0, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		some, err := takeLetters(tx, l, atOnce)
		if n = len(some); err != nil || n == 0 {
			return err
		}
		ids := make([]uuid.UUID, n)
		for i, one := range some {
			ids[i] = one.ClientID
		}
		details, err := client.Store{DB: s.Store.DB}.DetailsOf(tx.Context(), l.MerchantID, ids)
		if err != nil {
			return err
		}
		var nobody []uuid.UUID
		for _, one := range some {
			to, known := details[one.ClientID]
			if !known || to.Email == "" || !t.DeletedAt.IsZero() {
				nobody = append(nobody, one.ClientID)
				continue
			}
			var words []purchase.NewPrice
			if err := json.Unmarshal(one.Words, &words); err != nil {
				return fmt.Errorf("letter %d of price change %s: %w", one.N, l.ChangeID, err)
			}
			tx.InsertMail(mail.Mail{ID: tx.NewID(), MerchantID: l.MerchantID, ObjectID: l.ChangeID,
				Kind: purchase.MailPrice, Attempt: one.N, ClientID: one.ClientID, To: to.Email, CC: to.CC, BCC: to.BCC,
				State: mail.Queued, CreatedAt: tx.Now(), Letter: s.Purchases.Letters.PriceChanged(to, b, words)})
		}
		if len(nobody) == 0 {
			return nil
		}
		return tx.Gorm().Exec(`UPDATE price_letters SET state = 'ended' WHERE merchant_id = ? AND change_id = ?
			AND client_id = ANY(?::uuid[])`, l.MerchantID, l.ChangeID, database.IDs(nobody)).Error
	})
	return n, err
}

// writeLetters plans the letters of a change in its transaction, and ends those of the change before that have not
// left. Who never heard of a change does not hear that it was withdrawn. It gives how many clients are told.
func (s *Service) writeLetters(tx *database.Tx, p PricePlan, c PriceChange) (n int, ended int64, err error) {
	t := p.Template
	end := tx.Gorm().Exec(`UPDATE price_letters SET state = 'ended' WHERE merchant_id = ? AND template_id = ?
		AND state = 'waiting'`, t.MerchantID, t.ID)
	if ended = end.RowsAffected; end.Error != nil {
		return 0, ended, end.Error
	}
	heard, err := s.heardOf(tx.Context(), p)
	if err != nil {
		return 0, ended, err
	}
	clients, told := p.told(heard)
	if len(clients) == 0 {
		return 0, ended, nil
	}
	words := make(database.TextArray, len(clients))
	for i, id := range clients {
		one, err := json.Marshal(told[id])
		if err != nil {
			return 0, ended, fmt.Errorf("letter of a price: %w", err)
		}
		words[i] = string(one)
	}
	err = tx.Gorm().Exec(`INSERT INTO price_letters (change_id, n, merchant_id, template_id, client_id, from_day, words)
		SELECT ?::uuid, a.n, ?::uuid, ?::uuid, a.client::uuid, ?::date, a.words::jsonb
		FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS a (client, words, n)`, c.ID, t.MerchantID, t.ID, c.From,
		database.IDs(clients), words).Error
	tx.Enqueue(queue.RunDue{})
	return len(clients), ended, err
}

// hearing is what a client was last told of the prices of a template that have not begun; none: nothing.
type hearing struct{ words []purchase.NewPrice }

// told tells whether a client has to hear that a price stays.
func (h hearing) told() bool { return len(h.words) > 0 && !h.words[0].Stays }

// heardOf reads it of the clients that letters were planned for, where a change is withdrawn.
func (s *Service) heardOf(ctx context.Context, p PricePlan) (map[uuid.UUID]hearing, error) {
	if !p.Stays {
		return nil, nil
	}
	return s.Store.heard(ctx, p.Template.MerchantID, p.Template.ID, today(s.Now()))
}

// told is what each client reads of a price change, with the clients in the order of their first subscription. Heard
// is what they were told before.
func (p PricePlan) told(heard map[uuid.UUID]hearing) (clients []uuid.UUID, words map[uuid.UUID][]purchase.NewPrice) {
	words = map[uuid.UUID][]purchase.NewPrice{}
	for _, r := range p.Changed {
		before, planned := heard[r.ClientID]
		if r.ClientEmail == "" || r.Parked() || planned && !before.told() {
			continue
		}
		at := len(words[r.ClientID])
		if at == 0 {
			clients = append(clients, r.ClientID)
		}
		one := purchase.NewPrice{Title: p.Template.Name(), Currency: p.Template.Currency, Was: r.Was, Is: r.Is,
			Every: p.Template.Plan.Every(), Period: p.Template.Plan.Period, Units: string(p.Template.Plan.Units),
			From: p.Change.From, FirstOn: r.FirstOn, Confirm: r.Why != "", Stays: p.Stays}
		if at < len(before.words) { // what was written to this client
			one.Was, one.From = before.words[at].Is, before.words[at].From
		}
		words[r.ClientID] = append(words[r.ClientID], one)
	}
	return clients, words
}

// Told is how far the letters of a price change are.
type Told struct{ Told, Of int }

// Left tells whether some have not left.
func (t Told) Left() bool { return t.Told < t.Of }

// ToldOf counts the letters of the last price change of a template.
func (s *Service) ToldOf(ctx context.Context, t Template) (n Told, err error) {
	err = s.Store.Gorm(ctx).Raw(`SELECT count(*) FILTER (WHERE state = 'told') AS told,
		count(*) FILTER (WHERE state <> 'ended') AS "of" FROM price_letters WHERE merchant_id = ? AND template_id = ?
		AND change_id = (SELECT change_id FROM price_letters WHERE merchant_id = ? AND template_id = ?
			ORDER BY change_id DESC LIMIT 1)`, t.MerchantID, t.ID, t.MerchantID, t.ID).Scan(&n).Error
	if err != nil {
		return n, fmt.Errorf("count letters of a price: %w", err)
	}
	return n, nil
}

// lettersKept is how long letters that left or were ended are kept after their price began, as tasks that are over are:
// who was told is asked only until then. The mails themselves stay.
const lettersKept = 90 * 24 * time.Hour

// TidyLetters deletes letters of prices that are past their time.
func (s Store) TidyLetters(ctx context.Context, now time.Time) error {
	err := s.InChunks(ctx, `DELETE FROM price_letters WHERE ctid = ANY (ARRAY(SELECT ctid FROM price_letters
		WHERE state <> 'waiting' AND from_day < $1::text::date LIMIT $2 FOR UPDATE SKIP LOCKED))`,
		calendar.DateOf(now.Add(-lettersKept)).String())
	if err != nil {
		return fmt.Errorf("tidy letters of prices: %w", err)
	}
	return nil
}

// lettersWaiting lists the changes of all merchants with letters that have not left, the earliest first.
func (s Store) lettersWaiting(ctx context.Context) (out []priceLetters, err error) {
	err = s.Gorm(ctx).Raw(`SELECT DISTINCT change_id, merchant_id, template_id FROM price_letters
		WHERE state = 'waiting' ORDER BY change_id`).Scan(&out).Error
	if err != nil {
		return nil, fmt.Errorf("letters of prices: %w", err)
	}
	return out, nil
}

// takeLetters makes some letters those of this transaction; what another one has is left to it.
func takeLetters(tx *database.Tx, l priceLetters, limit int) (out []priceLetter, err error) {
	err = tx.Gorm().Raw(`WITH next AS (SELECT n FROM price_letters
			WHERE merchant_id = ? AND change_id = ? AND state = 'waiting' ORDER BY n LIMIT ? FOR UPDATE SKIP LOCKED)
		UPDATE price_letters l SET state = 'told' FROM next WHERE l.change_id = ? AND l.n = next.n
		RETURNING l.n, l.client_id, l.words`, l.MerchantID, l.ChangeID, limit, l.ChangeID).Find(&out).Error
	return out, err
}

// heard reads what clients were last told of prices that begin after a day.
func (s Store) heard(ctx context.Context, merchantID, templateID uuid.UUID,
	after calendar.Date) (map[uuid.UUID]hearing, error) {
	var rows []struct {
		ClientID uuid.UUID
		Told     bool
		Words    string
	}
	err := s.Gorm(ctx).Raw(`SELECT DISTINCT ON (client_id) client_id, state = 'told' AS told, words::text AS words
		FROM price_letters WHERE merchant_id = ? AND template_id = ? AND from_day > ?
		ORDER BY client_id, state = 'told' DESC, change_id DESC`, merchantID, templateID, after).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("who heard of a price: %w", err)
	}
	out := make(map[uuid.UUID]hearing, len(rows))
	for _, r := range rows {
		var h hearing
		if r.Told {
			if err := json.Unmarshal([]byte(r.Words), &h.words); err != nil {
				return nil, fmt.Errorf("who heard of a price: %w", err)
			}
		}
		out[r.ClientID] = h
	}
	return out, nil
}
