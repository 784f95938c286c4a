package billing

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
)

// MostRecipients is how many clients one request may name (API contract 1.7).
const MostRecipients = 10_000

// Recipient is one client of an invoice.
type Recipient struct {
	ClientID  uuid.UUID
	Whitelist []string // nil: as the pattern says
}

// Input is a one-time invoice for many clients: the pattern without a client, and who
// gets it. Problems of its shape are in the pattern's.
type Input struct {
	Pattern    purchase.Input
	Recipients []Recipient
}

// Issued is one purchase with its invoice and the mail that brings it.
type Issued struct {
	Purchase purchase.Purchase
	Invoice  Invoice
	Mail     *mail.Mail // nil: nobody to send it to
	Audit    audit.Entry
}

// Service holds the use cases of billing.
type Service struct {
	InTx      func(context.Context, func(*database.Tx) error) error
	Store     Store
	Purchases *purchase.Service
	Letters   Letters
	Draw      func(Paper) ([]byte, error) // as PDF
	Structure func(Paper) ([]byte, error) // as a structured file, of package ubl
	// Mandate draws a mandate as its client gets it, in a language; nil: nobody does.
	Mandate func(ctx context.Context, merchantID, id uuid.UUID, reads locale.Language) ([]byte, error)
	// Account draws a statement of account, by what follows purchase.RefAccount in its reference; nil: nobody does.
	Account func(ctx context.Context, merchantID uuid.UUID, of string, reads locale.Language) ([]byte, error)
}

// Send makes one purchase and one invoice per recipient and queues their mails
// (source: POST /billing/). All or nothing: problems of recipients stand at
// clients[i/n]. The answer is the ids of the purchases, in the order asked for.
func (s *Service) Send(ctx context.Context, who actor.Actor, in Input) ([]uuid.UUID, error) {
	if err := who.May(actor.Bill); err != nil {
		return nil, err
	}
	pattern, brand, payers, err := s.prepare(ctx, who, in)
	if err != nil {
		return nil, err
	}
	n := len(in.Recipients)
	demands, err := merchant.Store(s.Store).Demands(ctx, who.MerchantID)
	if err != nil {
		return nil, err
	}
	if err := demands.MaySend(who, money.Times(pattern.TotalCents, n)); err != nil {
		return nil, err
	}
	first, err := s.Store.TakeNumbers(ctx, brand.ID, "purchase", n)
	if err != nil {
		return nil, err
	}
	var ids []uuid.UUID
	err = s.InTx(ctx, func(tx *database.Tx) error {
		series, err := takeSerials(tx, brand.ID, Invoiced, pattern.Issued.Year, n)
		if err != nil {
			return err
		}
		issued := make([]Issued, n)
		ids = make([]uuid.UUID, n)
		for i, r := range in.Recipients {
			p := pattern.For(r.ClientID, payers[r.ClientID], r.Whitelist)
			p.ReferenceGenerated = fmt.Sprintf("%s%d", brand.ReferencePrefix, first+int64(i))
			issued[i] = s.issue(tx, p, brand, series.at(i))
			ids[i] = issued[i].Purchase.ID
		}
		if err := insertIssued(tx, who, issued); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "billing.sent", ObjectType: "brand", ObjectID: brand.ID,
			Text: fmt.Sprintf("%s %s issued.", plural.Of(n, "invoice"), plural.Was(n)),
			After: map[string]any{"clients": n, "first": issued[0].Invoice.Number, "last": issued[n-1].Invoice.Number,
				"total_cents": pattern.TotalCents}})
		tx.Enqueue(queue.SendDueMails{})
		return tx.Answered(ids)
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// prepare checks everything that can be wrong, all at once.
func (s *Service) prepare(ctx context.Context, who actor.Actor,
	in Input) (purchase.Purchase, merchant.Brand, map[uuid.UUID]client.Details, error) {
	var wrong fault.Problems
	payers, err := s.payers(ctx, who, in, &wrong)
	if err != nil {
		return purchase.Purchase{}, merchant.Brand{}, nil, err
	}
	in.Pattern.Product = purchase.ByInvoices
	pattern, brand, err := s.Purchases.Pattern(ctx, who, in.Pattern)
	if problems, ok := fault.From(err); ok && problems.Kind == fault.Invalid {
		wrong = append(wrong, problems.Fields...)
	} else if err != nil {
		return pattern, brand, nil, err
	}
	for i, r := range in.Recipients {
		at := recipientAt(i, len(in.Recipients)) + "payment_method_whitelist"
		purchase.CheckBlock(&wrong, at, r.Whitelist, pattern.Details.DirectDebit)
	}
	return pattern, brand, payers, wrong.Err()
}

func (s *Service) payers(ctx context.Context, who actor.Actor, in Input,
	wrong *fault.Problems) (map[uuid.UUID]client.Details, error) {
	n := len(in.Recipients)
	switch {
	case n == 0 && !in.Pattern.Problems.Has("clients"):
		wrong.Add("clients", "required", "This field is required.")
	case n > MostRecipients:
		wrong.Add("clients", "max_length", "Ensure this field has no more than %d elements.", MostRecipients)
		return nil, nil
	}
	ids := make([]uuid.UUID, 0, n)
	for _, r := range in.Recipients {
		ids = append(ids, r.ClientID)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	payers, err := client.Store(s.Store).DetailsOf(ctx, who.MerchantID, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	for i, r := range in.Recipients {
		at := recipientAt(i, n)
		if _, known := payers[r.ClientID]; !known && r.ClientID != uuid.Nil {
			wrong.NoSuch(at+"client_id", r.ClientID)
		}
		s.Purchases.CheckWhitelist(wrong, at+"payment_method_whitelist", r.Whitelist)
	}
	return payers, nil
}

// recipientAt is where what is wrong with a recipient stands.
func recipientAt(i, n int) string { return fmt.Sprintf("clients[%d/%d].", i, n) }

// issue gives one purchase its id, its moment, its invoice and its mail.
func (s *Service) issue(tx *database.Tx, p purchase.Purchase, b merchant.Brand, place serial) Issued {
	p.Begin(tx.NewID(), tx.Now())
	inv := invoiceOf(p, b).number(tx.NewID(), place, tx.Now())
	out := Issued{Invoice: inv, Audit: audit.Entry{Action: "purchase.created", ObjectType: "purchase", ObjectID: p.ID,
		ClientID: p.ClientID, PurchaseID: p.ID,
		Text: "Invoice " + inv.Number + " was issued.", After: map[string]any{"status": p.Status, "total_cents": p.TotalCents,
			"due": p.Due.Unix(), "invoice": inv.Number}}}
	if p.Payer.Email != "" {
		p.MailCount = 1
		m := s.Purchases.InvoiceMail(tx, p, "Invoice "+inv.Number+" from "+b.Name)
		out.Mail = &m
	}
	out.Purchase = p
	return out
}
