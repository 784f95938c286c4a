package purchase

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
)

// Pattern checks a purchase for many clients, who are named elsewhere, and gives
// what all of them have in common. It reports everything that is wrong.
func (s *Service) Pattern(ctx context.Context, who actor.Actor, in Input) (Purchase, merchant.Brand, error) {
	in.forMany = true
	return s.draft(ctx, who, &in)
}

// For is the purchase of one client after a pattern. A whitelist of the client's own
// replaces the pattern's; one without DebiCheck drops the terms of a mandate, which that client is not to give.
func (p Purchase) For(clientID uuid.UUID, payer client.Details, whitelist []string) Purchase {
	p.ClientID, p.Payer = clientID, payer
	if whitelist != nil {
		p.Options.Whitelist = whitelist
	}
	if dd, list := p.Details.DirectDebit, p.Options.Whitelist; dd != nil && list != nil &&
		!slices.Contains(list, DebiCheck) {
		plain := *dd
		plain.Terms = nil
		p.Details.DirectDebit = &plain
	}
	p.Method = (&Input{Options: p.Options}).method()
	p.Details.RequestClientDetails = slices.DeleteFunc(slices.Clone(p.Details.RequestClientDetails), payer.Knows)
	return p
}

// Begin gives a new purchase its id and its first moment.
func (p *Purchase) Begin(id uuid.UUID, now time.Time) {
	p.ID, p.CreatedAt, p.UpdatedAt = id, now, now
	if !p.DueGiven {
		p.Due = now.Add(defaultDue)
	}
	p.History = []Change{{Created, now}}
	p.setPassAt()
}

// InvoiceMail is the first mail of an invoice. It is worded when it is sent.
func (s *Service) InvoiceMail(tx *database.Tx, p Purchase, subject string) mail.Mail {
	return p.Mail(tx, MailInvoice, 1, mail.Letter{Subject: subject})
}
