package exchange

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
)

// Download gives the exact bytes of a message, and notes who took them.
func (s *Service) Download(ctx context.Context, who actor.Actor,
	id string) (m Message, content io.ReadCloser, err error) {
	if m, err = s.handOut(ctx, who, id, ""); err != nil {
		return m, nil, err
	}
	content, err = s.bytesOf(ctx, id)
	return m, content, err
}

// DownloadAs writes a message in another form, by the orders in it, and notes who took it. It gives the name of the
// file.
func (s *Service) DownloadAs(ctx context.Context, who actor.Actor, id, form string) (name string, content []byte,
	err error) {
	if err := who.May(actor.Exchange); err != nil {
		return "", nil, err
	}
	n := slices.IndexFunc(s.Spellings, func(f Spelling) bool { return f.Name() == form })
	if n < 0 {
		return "", nil, fault.New(fault.NotFound, "no_form", "There is no such form.")
	}
	f := s.Spellings[n]
	m, groups, err := s.Store.Message(ctx, who.MerchantID, id)
	if err != nil {
		return "", nil, err
	}
	refused := func(why string) error {
		return fault.New(fault.Conflict, "not_in_this_form", "The file cannot be written as %s: %s", f.Title(), why)
	}
	if why := f.Refuses(m, groups); why != "" {
		return "", nil, refused(why)
	}
	out, err := s.Store.Outgoing(ctx, id)
	if err != nil {
		return "", nil, err
	}
	if out.damaged() {
		return "", nil, refused("what is stored of it was damaged.")
	}
	var text bytes.Buffer
	var disallowed *Disallowed
	if err := f.Write(&text, out); errors.As(err, &disallowed) {
		return "", nil, refused(strings.Join(disallowed.Why, "; ") + ".")
	} else if err != nil {
		return "", nil, err
	}
	if _, err := s.handOut(ctx, who, id, f.Title()); err != nil { // nothing is shown before it is noted
		return "", nil, err
	}
	return f.FileName(m), text.Bytes(), nil
}

// handOut notes who takes a message away, in the form in which it leaves or in another one.
func (s *Service) handOut(ctx context.Context, who actor.Actor, id, form string) (m Message, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return m, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		if m, err = tx.holdMessage(who.MerchantID, id); err != nil {
			return err
		}
		if m.Withheld() {
			return fault.New(fault.Conflict, "not_approved", "This file is not approved, so it cannot be downloaded.")
		}
		if erased, err := tx.namesErased(m); err != nil || erased {
			if err == nil {
				err = fault.New(fault.Conflict, "client_erased", "This file names a client whose personal data was erased on "+
					"request, so it can no longer be downloaded.")
			}
			return err
		}
		m.Downloads, m.DownloadsBy = m.Downloads+1, who.Name
		as := ""
		if form != "" {
			as = " as " + form
		}
		tx.Audit(who, messageEntry("bank.message_downloaded", m, "The file %s for the bank was downloaded%s.", m.FileName,
			as))
		return tx.saveMessage(m)
	})
	return m, err
}
