package billing

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// Letters writes the mails about documents in finished words.
type Letters interface {
	// Invoice asks the client to pay.
	Invoice(p Paper) mail.Letter
	// CreditNote tells that an invoice was taken back.
	CreditNote(p Paper) mail.Letter
}

var _ purchase.Papers = (*Service)(nil)

// Issue implements purchase.Papers: a purchase that was not billed gets its serial
// number when its invoice is first mailed. What was owed elsewhere was invoiced there.
func (s *Service) Issue(tx *database.Tx, who actor.Actor, rec purchase.Record) (number string, err error) {
	if rec.TakenOver {
		return rec.Called(), nil
	}
	docs, err := documentsHeld(tx, rec.MerchantID, rec.ID)
	if err != nil {
		return "", err
	}
	if docs.Invoice != nil {
		return docs.Invoice.Number, nil
	}
	inv := invoiceOf(rec.Purchase, rec.Brand)
	if today := purchase.DayIn(tx.Now(), rec.Details.Timezone); purchase.DayIn(rec.CreatedAt,
		rec.Details.Timezone).Before(today) && inv.Issued.Before(today) {
		inv.Issued, inv.Year = today, today.Year // the day of the number, whenever the purchase was made
	}
	return s.keep(tx, who, inv, "Invoice %s was issued.")
}

// Issued implements purchase.Papers.
func (s *Service) Issued(ctx context.Context, p purchase.Purchase) (bool, error) {
	d, err := s.Of(ctx, p.MerchantID, p.ID)
	return d.Stands(), err
}

// CreditRefund implements purchase.Papers.
func (s *Service) CreditRefund(tx *database.Tx, who actor.Actor, rec purchase.Record,
	r purchase.Refund) (number string, err error) {
	return s.credit(tx, who, rec, r.AmountCents, r.ID)
}

// Credit implements purchase.Papers: an invoice that is cancelled is taken back by
// a credit note with a number of its own. Empty: there was no invoice.
func (s *Service) Credit(tx *database.Tx, who actor.Actor, rec purchase.Record) (number string, err error) {
	return s.credit(tx, who, rec, rec.TotalCents, uuid.Nil)
}

// credit takes back as much of an invoice, at most what is left of it.
func (s *Service) credit(tx *database.Tx, who actor.Actor, rec purchase.Record, cents int64,
	refund uuid.UUID) (number string, err error) {
	docs, err := documentsHeld(tx, rec.MerchantID, rec.ID)
	if err != nil || docs.Invoice == nil {
		return "", err
	}
	note, some := docs.credit(cents, calendar.DateOf(tx.Now()))
	if !some {
		return "", nil
	}
	note.RefundID = refund
	text := "Credit note %s takes back invoice " + note.Cancels + "."
	if note.TotalCents < docs.Invoice.TotalCents {
		text = "Credit note %s takes back " + money.Format(note.TotalCents, note.Currency) + " of invoice " +
			note.Cancels + "."
	}
	return s.keep(tx, who, note, text)
}

func (s *Service) keep(tx *database.Tx, who actor.Actor, inv Invoice, text string) (string, error) {
	series, err := takeSerials(tx, inv.BrandID, inv.Kind, inv.Year, 1)
	if err != nil {
		return "", err
	}
	inv = inv.number(tx.NewID(), series.at(0), tx.Now())
	insertInvoice(tx, inv)
	tx.Audit(who, audit.Entry{Action: "invoice.issued", ObjectType: "invoice", ObjectID: inv.ID, ClientID: inv.ClientID,
		PurchaseID: inv.PurchaseID,
		Text:       fmt.Sprintf(text, inv.Number), After: map[string]any{"number": inv.Number,
			"total_cents": inv.TotalCents}})
	return inv.Number, nil
}

// Of gives the documents of a purchase.
func (s *Service) Of(ctx context.Context, merchantID, purchaseID uuid.UUID) (Documents, error) {
	all, err := s.Store.DocumentsOf(ctx, merchantID, []uuid.UUID{purchaseID})
	return all[purchaseID], err
}

// Paper is the invoice of a purchase as it is printed; without a number when none
// was issued.
func (s *Service) Paper(ctx context.Context, rec purchase.Record) (Paper, error) {
	docs, err := s.Of(ctx, rec.MerchantID, rec.ID)
	if err != nil {
		return Paper{}, err
	}
	paper := Unnumbered(rec.Purchase, rec.Brand)
	if docs.Invoice != nil {
		paper = PaperOf(*docs.Invoice, rec.Purchase)
	}
	return s.withDebit(ctx, paper)
}

// PDF draws a document of a purchase in a language.
func (s *Service) PDF(ctx context.Context, inv Invoice, p purchase.Purchase, reads locale.Language) ([]byte, error) {
	paper, err := s.withDebit(ctx, PaperOf(inv, p))
	if err != nil {
		return nil, err
	}
	paper.Reads = reads
	return s.draw(ctx, paper)
}

// draw gives a document as PDF, with the logo of its issuer.
func (s *Service) draw(ctx context.Context, paper Paper) (_ []byte, err error) {
	if paper.Letterhead, err = s.Purchases.Merchants().Letterhead(ctx, paper.Issuer.Logo); err != nil {
		return nil, err
	}
	return s.Draw(paper)
}

func (s *Service) withDebit(ctx context.Context, paper Paper) (Paper, error) {
	debits, err := s.Store.debitsOf(ctx, paper.MerchantID, []uuid.UUID{paper.PurchaseID})
	d, known := debits[paper.PurchaseID]
	paper.Debit = standing(d, known)
	return paper, err
}

// Compose words mails about documents that were queued without words. The PDF goes
// along by name: it is drawn, the same bytes each time, by whoever needs it.
func (s *Service) Compose(ctx context.Context, mails []mail.Mail) ([]mail.Letter, error) {
	out := make([]mail.Letter, len(mails))
	for merchantID, at := range byMerchant(mails) {
		ids := make([]uuid.UUID, len(at))
		for n, i := range at {
			ids[n] = mails[i].PurchaseID
		}
		about, err := s.Purchases.Store.PurchasesOf(ctx, merchantID, ids)
		if err != nil {
			return nil, err
		}
		docs, err := s.Store.DocumentsOf(ctx, merchantID, ids)
		if err != nil {
			return nil, err
		}
		debits, err := s.Store.debitsOf(ctx, merchantID, ids)
		if err != nil {
			return nil, err
		}
		for _, i := range at {
			p, known := about[mails[i].PurchaseID]
			if !known {
				return nil, fmt.Errorf("word mail %s: %w", mails[i].ID, fault.Missing())
			}
			if out[i], err = s.word(ctx, mails[i], p, docs[p.ID], whenMailed(mails[i], debits)); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func byMerchant(mails []mail.Mail) map[uuid.UUID][]int {
	at := map[uuid.UUID][]int{}
	for i, m := range mails {
		at[m.MerchantID] = append(at[m.MerchantID], i)
	}
	return at
}

func (s *Service) word(ctx context.Context, m mail.Mail, p purchase.Purchase, docs Documents,
	debit *Debit) (mail.Letter, error) {
	brand, err := s.Purchases.Merchants().Brand(ctx, p.MerchantID, p.BrandID)
	if err != nil {
		return mail.Letter{}, err
	}
	reads := locale.English
	if len(brand.Offered()) > 0 {
		known, err := s.Purchases.ReadsIn(ctx, p)
		if err != nil {
			return mail.Letter{}, err
		}
		reads = brand.Reads(known)
	}
	switch {
	case m.Kind == purchase.MailCredit && len(docs.Credits) > 0:
		note := docs.creditAt(m.CreatedAt)
		paper := PaperOf(note, p)
		paper.mailedBy(brand, reads)
		return s.withStructured(attached(s.Letters.CreditNote(paper), paper), note, brand), nil
	case docs.Invoice != nil:
		paper := PaperOf(*docs.Invoice, p)
		paper.Debit = debit
		paper.mailedBy(brand, reads)
		return s.withStructured(attached(s.Letters.Invoice(paper), paper), *docs.Invoice, brand), nil
	}
	paper := Unnumbered(p, brand)
	paper.Debit = debit
	paper.mailedBy(brand, reads)
	return s.Letters.Invoice(paper), nil
}

// mailedBy gives a document what a mail about it takes from its brand today.
func (p *Paper) mailedBy(b merchant.Brand, reads locale.Language) {
	p.Reads, p.Words, p.Colour, p.Logo = reads, b.OwnWords, b.Colour, b.Logo
}

// whenMailed is the debit that stood when the mail left; of one that has not left,
// the debit that stands now.
func whenMailed(m mail.Mail, debits map[uuid.UUID]Debit) *Debit {
	d, known := debits[m.PurchaseID]
	switch {
	case m.SentAt.IsZero():
		return standing(d, known)
	case !known || d.PlannedAt.After(m.SentAt):
		return nil
	}
	d.State = collection.Scheduled // as it was then
	return &d
}

func attached(l mail.Letter, p Paper) mail.Letter {
	l.Attachments = append(l.Attachments, mail.Attachment{Name: p.FileName(), Type: "application/pdf",
		Ref: purchase.RefIn(p.Reads, refTo+p.ID.String())})
	return l
}

// FileName is what the PDF of a document is called.
func (i Invoice) FileName() string { return i.Number + ".pdf" }

// refTo begins the reference of an attachment that is a document.
const refTo = "invoice:"

// File draws the attachment that a reference names, in the language in which it was
// mailed; NotFound when it is no document of the merchant.
func (s *Service) File(ctx context.Context, merchantID uuid.UUID, ref string) ([]byte, error) {
	ref, reads := purchase.RefReads(ref)
	if of, known := strings.CutPrefix(ref, purchase.RefMandate); known && s.Mandate != nil {
		id, err := uuid.Parse(of)
		if err != nil {
			return nil, fault.Missing()
		}
		return s.Mandate(ctx, merchantID, id, reads)
	}
	if of, known := strings.CutPrefix(ref, purchase.RefAccount); known && s.Account != nil {
		return s.Account(ctx, merchantID, of, reads)
	}
	if of, known := strings.CutPrefix(ref, purchase.RefReceipt); known {
		return s.receiptFile(ctx, merchantID, of, reads)
	}
	if of, known := strings.CutPrefix(ref, purchase.RefInvoiceOf); known {
		draw := func(ctx context.Context, inv Invoice, p purchase.Purchase) ([]byte, error) {
			return s.PDF(ctx, inv, p, reads)
		}
		return s.invoiceFile(ctx, merchantID, of, draw)
	}
	if of, known := strings.CutPrefix(ref, purchase.RefStructuredOf); known {
		return s.invoiceFile(ctx, merchantID, of, s.structuredOf)
	}
	of, structured := strings.CutPrefix(ref, refToStructured)
	text, ours := strings.CutPrefix(ref, refTo)
	if structured {
		text, ours = of, true
	}
	id, err := uuid.Parse(text)
	if !ours || err != nil {
		return nil, fault.Missing()
	}
	inv, err := s.Store.Invoice(ctx, merchantID, id)
	if err != nil {
		return nil, err
	}
	p, err := s.Purchases.Store.Purchase(ctx, merchantID, inv.PurchaseID)
	switch {
	case err != nil:
		return nil, err
	case !structured:
		return s.PDF(ctx, inv, p, reads)
	}
	return s.structuredOf(ctx, inv, p)
}
