package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/database"
	"debitdesk/models/mail"
	"debitdesk/models/paging"
)

// claimFor is how long a process has until it hands a mail over, in real time.
// After it another takes over: the first has crashed. One that was only slow does
// not hand over any more.
const claimFor = 30 * time.Second

// Store is where mails are kept.
type Store struct{ *database.DB }

// kept is a mail with its words: as they are, or sealed.
type kept struct {
	mail.Mail
	CC, BCC            []string `gorm:"type:text[];serializer:texts"`
	TextBody, HTMLBody string
	BodySealed         []byte
}

// TableName implements GORM's Tabler.
func (kept) TableName() string { return "mails" }

// all reads the mails that a list finds.
func (s Store) all(of *gorm.DB) ([]mail.Mail, error) {
	var found []kept
	if err := of.Find(&found).Error; err != nil {
		return nil, err
	}
	mails := make([]mail.Mail, len(found))
	for i, k := range found {
		mails[i] = k.Mail
		mails[i].CC, mails[i].BCC = k.CC, k.BCC
		mails[i].Text, mails[i].HTML = k.TextBody, k.HTMLBody
		if err := database.OpenBody(s.Seal, &mails[i], k.BodySealed); err != nil {
			return nil, fmt.Errorf("open the words of mail %s: %w", k.ID, err)
		}
	}
	return mails, nil
}

// Filter narrows the list of mails to those that were made from one moment to another, both included; zero: open.
type Filter struct{ From, To time.Time }

// Mails lists a page of the merchant's mails, newest first.
func (s Store) Mails(ctx context.Context, merchantID uuid.UUID, f Filter, ask paging.Ask) ([]mail.Mail, error) {
	list := s.Gorm(ctx)
	if !f.From.IsZero() {
		list = list.Where("id >= ? AND created_at >= ?", paging.FromID(f.From), f.From)
	}
	if !f.To.IsZero() {
		list = list.Where("id < ? AND created_at <= ?", paging.ToID(f.To), f.To)
	}
	return s.all(database.PageOf(list, "merchant_id", merchantID, ask))
}

// MailsAbout lists the mails that one object caused, newest first.
func (s Store) MailsAbout(ctx context.Context, merchantID, objectID uuid.UUID) ([]mail.Mail, error) {
	return s.all(s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("object_id = ?", objectID).Order("id DESC"))
}

// MailsOf lists the newest mails about some purchases, newest first.
func (s Store) MailsOf(ctx context.Context, merchantID uuid.UUID, purchases []uuid.UUID,
	limit int) ([]mail.Mail, error) {
	return s.all(s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("purchase_id IN ?", purchases).
		Order("id DESC").Limit(limit))
}

// Mail gives one mail of the merchant; NotFound otherwise.
func (s Store) Mail(ctx context.Context, merchantID, id uuid.UUID) (mail.Mail, error) {
	return database.First(s.all(s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("id = ?", id)))
}

// due is the condition of a mail whose turn has come and that nobody is sending. An
// invoice whose debit a batch is about to plan waits for it, for its mail names the debit.
const due = `state = 'queued' AND handed_at IS NULL AND next_try_at <= ?
	AND (claimed_until IS NULL OR claimed_until < now())
	AND NOT EXISTS (SELECT FROM batch_rows r WHERE r.purchase_id = mails.purchase_id
	AND r.state = 'sent' AND r.charge = 'wanted')`

// ClaimMails takes up to limit mails whose turn has come for this process and counts
// the try, longest waiting first. It crosses merchants: the sweep serves them all.
func (s Store) ClaimMails(ctx context.Context, limit int) ([]mail.Mail, error) {
	return s.all(s.Gorm(ctx).Raw(`UPDATE mails
		SET tries = tries + 1, claimed_until = now() + make_interval(secs => ?)
		WHERE id IN (SELECT id FROM mails WHERE `+due+` ORDER BY next_try_at, id LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING *`,
		claimFor.Seconds(), s.Now(), limit))
}

// ClaimMail takes one mail for this process; none when it is sent, not due, being sent
// elsewhere, or unknown.
func (s Store) ClaimMail(ctx context.Context, id uuid.UUID) ([]mail.Mail, error) {
	return s.all(s.Gorm(ctx).Raw(`UPDATE mails SET tries = tries + 1,
		claimed_until = now() + make_interval(secs => ?) WHERE id = ? AND `+due+` RETURNING *`, claimFor.Seconds(), id,
		s.Now()))
}

// UnconfirmedMails lists mails that were handed over by a process that ended before it
// heard the relay's answer.
func (s Store) UnconfirmedMails(ctx context.Context, limit int) ([]mail.Mail, error) {
	return s.all(s.Gorm(ctx).Scopes(database.AcrossMerchants).
		Where("state = ? AND handed_at IS NOT NULL AND claimed_until < now()", mail.Queued).Limit(limit))
}

// HandMail gets ready to note that a mail leaves; nil when the try is not this
// process's any more. A claim that ran out meanwhile begins anew, so that nobody takes
// the mail between this look and the last byte. It keeps a connection ready, so that
// the note is written to it without a wait.
func (s Store) HandMail(ctx context.Context, id uuid.UUID, try int) (*leaving, error) {
	conn, err := s.Pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("hand over mail: %w", err)
	}
	mine, err := conn.Exec(ctx, `UPDATE mails SET claimed_until = now() + make_interval(secs => $3)
		WHERE id = $1 AND tries = $2 AND state = 'queued' AND handed_at IS NULL`, id, try, claimFor.Seconds())
	if err != nil || mine.RowsAffected() == 0 {
		conn.Release()
		if err != nil {
			err = fmt.Errorf("hand over mail: %w", err)
		}
		return nil, err
	}
	return &leaving{conn, id, try, s.Now()}, nil
}

// leaving is a mail whose last byte is about to leave.
type leaving struct {
	*pgxpool.Conn
	id  uuid.UUID
	try int
	at  time.Time
}

// Gone notes that it has left. The statement goes in one piece, without being
// prepared first: once it is written, PostgreSQL carries it out whatever becomes of
// this process.
func (l *leaving) Gone(ctx context.Context) error {
	_, err := l.Exec(ctx, `UPDATE mails SET handed_at = $3 WHERE id = $1 AND tries = $2 AND state = 'queued'`,
		pgx.QueryExecModeExec, l.id, l.try, l.at)
	if err != nil {
		return fmt.Errorf("note that a mail left: %w", err)
	}
	return nil
}

// blanked takes the words out of mails with such a link, when the condition holds.
func blanked(when string) string {
	return `text_body = CASE WHEN ` + when + ` THEN '` + mail.LinkNotKept + `' ELSE text_body END,
			html_body = CASE WHEN ` + when + ` THEN '' ELSE html_body END,
			body_sealed = CASE WHEN ` + when + ` THEN NULL ELSE body_sealed END`
}

// MailsSent marks mails that the relay has accepted. A mail marked already stays as it
// is. Links that let a person in are not kept once they have left.
func (s Store) MailsSent(ctx context.Context, mails []mail.Mail) error {
	ids := make([]uuid.UUID, len(mails))
	for i, m := range mails {
		ids[i] = m.ID
	}
	_, err := s.Pool.Exec(ctx,
		`UPDATE mails SET state = 'sent', sent_at = $2, error = '', next_try_at = NULL, claimed_until = NULL,
			`+blanked(`kind = ANY($3)`)+`
		WHERE id = ANY($1) AND state = 'queued'`, ids, s.Now(), mail.LettingIn)
	if err != nil {
		return fmt.Errorf("mark mails sent: %w", err)
	}
	return nil
}

// MailsWorded keeps the words of mails that are about to be sent.
func (s Store) MailsWorded(ctx context.Context, mails []mail.Mail) error {
	return s.keepWords(ctx, "", mails)
}

// MailsKept keeps the words of mails that stay in the house, and marks them sent.
func (s Store) MailsKept(ctx context.Context, mails []mail.Mail) error {
	return s.keepWords(ctx, ", state = 'sent', sent_at = $7, error = '', next_try_at = NULL, claimed_until = NULL", mails,
		s.Now())
}

func (s Store) keepWords(ctx context.Context, set string, mails []mail.Mail, more ...any) error {
	n := len(mails)
	ids := make([]uuid.UUID, n)
	subjects, texts, htmls, files := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	sealed := make([][]byte, n)
	for i, m := range mails {
		ids[i], subjects[i], files[i] = m.ID, m.Subject, database.AttachmentsJSON(m.Attachments)
		texts[i], htmls[i], sealed[i] = database.BodyOf(s.Seal, m)
	}
	_, err := s.Pool.Exec(
		ctx,
		`UPDATE mails AS m SET subject = w.subject, text_body = w.text, html_body = w.html, body_sealed = w.sealed,
			attachments = w.files::jsonb`+set+`
		FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[]) AS w (id, subject, text, html,
		files, sealed) WHERE m.id = w.id AND m.state = 'queued'`,
		append([]any{ids, subjects, texts, htmls, files, sealed}, more...)...)
	if err != nil {
		return fmt.Errorf("keep the words of mails: %w", err)
	}
	return nil
}

// ReleaseMails gives claimed mails back that were not tried.
func (s Store) ReleaseMails(ctx context.Context, mails []mail.Mail) error {
	for _, m := range mails {
		err := s.Gorm(ctx).Table("mails").
			Where("id = ? AND tries = ? AND state = ? AND handed_at IS NULL", m.ID, m.Tries, mail.Queued).
			UpdateColumns(map[string]any{"tries": gorm.Expr("tries - 1"), "claimed_until": nil}).Error
		if err != nil {
			return fmt.Errorf("release mails: %w", err)
		}
	}
	return nil
}

// MailPutOff keeps a mail for another try at next (product time); the zero time gives
// it up. Only the process of that try may say so.
func (s Store) MailPutOff(ctx context.Context, id uuid.UUID, try int, why string, next time.Time) error {
	change := map[string]any{"state": mail.Queued, "error": why, "next_try_at": database.OrNull(next),
		"claimed_until": nil, "handed_at": nil}
	if next.IsZero() {
		lettingIn := func(then, otherwise string) clause.Expr {
			return gorm.Expr("CASE WHEN kind IN ? THEN "+then+" ELSE "+otherwise+" END", mail.LettingIn)
		}
		change["state"] = mail.Failed
		change["text_body"] = lettingIn("'"+mail.LinkNotKept+"'", "text_body")
		change["html_body"], change["body_sealed"] = lettingIn("''", "html_body"), lettingIn("NULL", "body_sealed")
	}
	err := s.Gorm(ctx).Table("mails").Where("id = ? AND state = ? AND tries = ?", id, mail.Queued, try).
		UpdateColumns(change).Error
	if err != nil {
		return fmt.Errorf("put off mail: %w", err)
	}
	return nil
}

// linksKept is how long words of mails that let a person in stay in the house; the
// longest such link works for seven days.
const linksKept = 8 * 24 * time.Hour

// Tidy takes the words out of mails whose link works no more.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	err := s.InChunks(ctx, `UPDATE mails SET `+blanked(`true`)+` WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM mails WHERE body_sealed IS NOT NULL AND state = 'sent' AND sent_at < $1
		LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-linksKept))
	if err != nil {
		return fmt.Errorf("tidy mails: %w", err)
	}
	return nil
}
