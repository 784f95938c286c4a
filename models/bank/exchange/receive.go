package exchange

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/plural"
)

// receive reads everything that has arrived. A document that cannot be read is put aside with the reason; one that
// fails otherwise stays where it is and is tried again.
func (s *Service) receive(ctx context.Context) (read int, err error) {
	found, err := s.Box.Find(ctx)
	if err != nil {
		return 0, fmt.Errorf("look for the bank's answers: %w", err)
	}
	finish := func(name string, d Document, err error) error {
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if d.State != DocumentOpen {
			read++
		}
		return nil
	}
	_, wrong := each(found, func(f Found) error {
		d, err := s.receiveFound(ctx, f)
		return finish(f.Name, d, err)
	})
	brought, err := s.Store.Brought(ctx)
	if err != nil {
		return read, errors.Join(wrong, fmt.Errorf("find imported documents: %w", err))
	}
	_, err = each(brought, func(d Document) error {
		d, err := s.read(ctx, d, func() (io.ReadCloser, error) { return s.imported(ctx, d.ID) })
		return finish(d.FileName, d, err)
	})
	return read, errors.Join(wrong, err)
}

// imported opens the bytes of a document that a person imported.
func (s *Service) imported(ctx context.Context, id uuid.UUID) (io.ReadCloser, error) {
	packed, err := s.Store.DocumentContent(ctx, id)
	if err != nil {
		return nil, err
	}
	return unpack(packed)
}

func (s *Service) receiveFound(ctx context.Context, f Found) (d Document, err error) {
	err = s.Store.inTx(ctx, func(tx unit) (err error) {
		d, _, err = tx.openDocument(Document{ID: tx.NewID(), FileName: f.Name, SHA256: f.SHA256, Size: f.Size,
			State: DocumentOpen, ArrivedAt: tx.Now()}, nil)
		return err
	})
	if err != nil {
		return d, err
	}
	if d.State == DocumentOpen {
		if d, err = s.read(ctx, d, func() (io.ReadCloser, error) { return s.Box.Open(f) }); err != nil {
			return d, err
		}
	}
	switch d.State {
	case DocumentRejected:
		return d, s.Box.Reject(f, d.Why)
	case DocumentRead:
		return d, s.Box.Keep(f, d.ArrivedAt)
	default: // it is still being written
		return d, nil
	}
}

// settleWithin is how long a document may stay without its end before it is put aside (ours).
const settleWithin = time.Hour

func (s *Service) decode(open func() (io.ReadCloser, error), each func(Event) error) (a Arrival, err error) {
	content, err := open()
	if err != nil {
		return Arrival{}, err
	}
	defer func() { _ = content.Close() }()
	defer func() { // one file never costs the next
		if p := recover(); p != nil {
			err = &Unreadable{Why: "Reading it failed because of a fault in Debitdesk. Nothing in it was counted."}
		}
	}()
	return s.Decoder.Decode(content, each)
}

// read records everything that a document says, chunk by chunk: what a crash interrupts is read again, and what was
// recorded changes nothing then.
func (s *Service) read(ctx context.Context, d Document, open func() (io.ReadCloser, error)) (Document, error) {
	// The whole is read before anything of it counts: a document that breaks off in the middle says nothing.
	_, err := s.decode(open, func(Event) error { return nil })
	r := &reading{s: s, document: d, of: map[uuid.UUID]Tally{}, alike: map[alike]int{}}
	var arrival Arrival
	if err == nil {
		arrival, err = s.decode(open, func(e Event) error {
			r.events = append(r.events, e)
			if len(r.events) < s.chunk() {
				return nil
			}
			return r.apply(ctx)
		})
	}
	if err == nil {
		err = r.apply(ctx)
	}
	var unreadable *Unreadable
	switch {
	case errors.As(err, &unreadable):
		d.State, d.Why = DocumentRejected, unreadable.Why
	case errors.Is(err, ErrUnfinished) && s.Now().Sub(d.ArrivedAt) < settleWithin:
		return d, nil
	case errors.Is(err, ErrUnfinished):
		d.State, d.Why = DocumentRejected, "Its end is missing."
	case err != nil:
		return d, err
	default:
		d.State = DocumentRead
	}
	d.Name, d.BankID, d.Events, d.Count, d.SumCents = arrival.Name, arrival.ID, r.seen, r.count, r.sumCents
	d.Movements, d.NewMovements, d.StrangeMovements, d.StrangeAccount = r.all, r.fresh, r.strange, r.account
	err = s.Store.inTx(ctx, func(tx unit) error {
		d.ReadAt = tx.Now()
		if d.State == DocumentRejected {
			if err := tx.askAboutUnread(d); err != nil {
				return err
			}
		}
		if d.State == DocumentRead {
			if err := tx.replaceReported(r.closed); err != nil {
				return err
			}
		}
		if d.State == DocumentRead && d.MerchantID == uuid.Nil && d.StrangeMovements > 0 {
			if err := tx.openFindings([]Finding{{Kind: StrangeAccount, Subject: d.StrangeAccount, ArrivalID: d.ID,
				Text: fmt.Sprintf("The file %s shows %s on the account %s, which belongs to no business here. Register the "+
					"account if it is yours, or ask your bank why it tells of it.", d.FileName,
					plural.Of(d.StrangeMovements, "movement"), d.StrangeAccount)}}); err != nil {
				return err
			}
		}
		if err := tx.countRest(d, r.alike); err != nil {
			return err
		}
		return tx.closeDocument(d, r.of)
	})
	return d, err
}

// Pack compresses the bytes of a document for keeping.
func Pack(content []byte) ([]byte, error) {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	if _, err := zip.Write(content); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// atOr is a moment, or another when the bank names none.
func atOr(at, or time.Time) time.Time {
	if at.IsZero() {
		return or
	}
	return at
}
