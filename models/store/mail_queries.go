package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/fault"
	"debitdesk/models/mail"
)

// claimFor is how long a process has for one mail, in real time. After it
// another takes over: the first has crashed.
const claimFor = 5 * time.Minute

// Mails lists the merchant's mails, newest first, at most limit of them, older
// than the mail before; uuid.Nil begins with the newest.
func (s *Store) Mails(ctx context.Context, merchantID, before uuid.UUID, limit int) ([]mail.Mail, error) {
	q := s.read(ctx).Where("merchant_id = ?", merchantID)
	if before != uuid.Nil {
		q = q.Where("id < ?", before)
	}
	return mailsOf(q.Order("id DESC").Limit(limit))
}

// MailsAbout lists the mails that one object caused, newest first.
func (s *Store) MailsAbout(ctx context.Context, merchantID, objectID uuid.UUID) ([]mail.Mail, error) {
	return mailsOf(s.read(ctx).Where("object_id = ? AND merchant_id = ?", objectID, merchantID).Order("id DESC"))
}

// Mail gives one mail of the merchant; NotFound otherwise.
func (s *Store) Mail(ctx context.Context, merchantID, id uuid.UUID) (mail.Mail, error) {
	var row mailRow
	err := s.read(ctx).Where("merchant_id = ? AND id = ?", merchantID, id).Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return mail.Mail{}, fault.Missing()
	case err != nil:
		return mail.Mail{}, fmt.Errorf("find mail: %w", err)
	}
	return row.domain()
}

func mailsOf(q *gorm.DB) ([]mail.Mail, error) {
	var rows []mailRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list mails: %w", err)
	}
	out := make([]mail.Mail, len(rows))
	for i, row := range rows {
		m, err := row.domain()
		if err != nil {
			return nil, err
		}
		out[i] = m
	}
	return out, nil
}

// DueMails names queued mails whose turn has come and that nobody is sending,
// longest waiting first. It crosses merchants: the sweep serves them all.
func (s *Store) DueMails(ctx context.Context, limit int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := s.read(ctx).Raw(`SELECT id FROM mails WHERE state = 'queued' AND next_try_at <= ?
		AND (claimed_until IS NULL OR claimed_until < now()) ORDER BY next_try_at, id LIMIT ?`, s.Now(), limit).Scan(&ids).Error
	if err != nil {
		return nil, fmt.Errorf("find due mails: %w", err)
	}
	return ids, nil
}

// ClaimMail takes a mail for this process and counts the try. Claimed is false
// when it is sent, not due, being sent elsewhere, or unknown.
func (s *Store) ClaimMail(ctx context.Context, id uuid.UUID) (m mail.Mail, claimed bool, err error) {
	var row mailRow
	done := s.read(ctx).Raw(`UPDATE mails SET tries = tries + 1, claimed_until = now() + make_interval(secs => ?)
		WHERE id = ? AND state = 'queued' AND next_try_at <= ? AND (claimed_until IS NULL OR claimed_until < now())
		RETURNING *`, claimFor.Seconds(), id, s.Now()).Scan(&row)
	if done.Error != nil {
		return m, false, fmt.Errorf("claim mail: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return m, false, nil
	}
	m, err = row.domain()
	return m, err == nil, err
}

// MailSent marks a mail that the relay has accepted. A mail marked already stays
// as it is: after a lost claim two processes may report the same success.
func (s *Store) MailSent(ctx context.Context, id uuid.UUID) error {
	_, err := s.Pool.Exec(ctx, `UPDATE mails SET state = 'sent', sent_at = $2, error = '', next_try_at = NULL, claimed_until = NULL
		WHERE id = $1 AND state = 'queued'`, id, s.Now())
	if err != nil {
		return fmt.Errorf("mark mail sent: %w", err)
	}
	return nil
}

// MailWorded keeps the words of a mail that is about to be sent.
func (s *Store) MailWorded(ctx context.Context, id uuid.UUID, l mail.Letter) error {
	_, err := s.Pool.Exec(ctx, `UPDATE mails SET subject = $2, text_body = $3, html_body = $4, attachments = $5 WHERE id = $1 AND state = 'queued'`,
		id, l.Subject, l.Text, l.HTML, attachmentsJSON(l.Attachments))
	if err != nil {
		return fmt.Errorf("keep the words of a mail: %w", err)
	}
	return nil
}

// MailPutOff keeps a mail for another try at next (product time); the zero time
// gives it up. Only the process of that try may say so.
func (s *Store) MailPutOff(ctx context.Context, id uuid.UUID, try int, why string, next time.Time) error {
	state := mail.Queued
	if next.IsZero() {
		state = mail.Failed
	}
	_, err := s.Pool.Exec(ctx, `UPDATE mails SET state = $3, error = $4, next_try_at = $5, claimed_until = NULL
		WHERE id = $1 AND state = 'queued' AND tries = $2`, id, try, state, why, orNull(next))
	if err != nil {
		return fmt.Errorf("put off mail: %w", err)
	}
	return nil
}
