package billing

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/purchase"
)

// Receipt draws the receipt of a purchase that is paid, in a language; NotFound of any other.
func (s *Service) Receipt(ctx context.Context, rec purchase.Record, reads locale.Language) ([]byte, error) {
	if rec.Payment == nil {
		return nil, fault.Missing()
	}
	return s.receipt(ctx, rec.Purchase, *rec.Payment, reads)
}

func (s *Service) receipt(ctx context.Context, p purchase.Purchase, paid purchase.Payment,
	reads locale.Language) ([]byte, error) {
	docs, err := s.Of(ctx, p.MerchantID, p.ID)
	if err != nil {
		return nil, err
	}
	brand, err := s.Purchases.Merchants().Brand(ctx, p.MerchantID, p.BrandID)
	if err != nil {
		return nil, err
	}
	paper := Unnumbered(p, brand)
	if docs.Invoice != nil {
		paper = PaperOf(*docs.Invoice, p)
	}
	paper.CreatedAt, paper.Paid, paper.Reads = paid.PaidOn, &paid, reads
	return s.draw(ctx, paper)
}

// receiptFile draws the receipt that a mail brought, which stays what it was should the payment go back.
func (s *Service) receiptFile(ctx context.Context, merchantID uuid.UUID, of string,
	reads locale.Language) ([]byte, error) {
	parts := strings.Split(of, ":")
	id, err := uuid.Parse(parts[0])
	if err != nil || len(parts) != 3 {
		return nil, fault.Missing()
	}
	at, wrongAt := strconv.ParseInt(parts[1], 10, 64)
	cents, wrongCents := strconv.ParseInt(parts[2], 10, 64)
	if wrongAt != nil || wrongCents != nil {
		return nil, fault.Missing()
	}
	p, err := s.Purchases.Store.Purchase(ctx, merchantID, id)
	if err != nil {
		return nil, err
	}
	return s.receipt(ctx, p, purchase.Payment{PaidOn: time.UnixMicro(at).UTC(), AmountCents: cents}, reads)
}

// invoiceFile makes a file of the invoice of a purchase.
func (s *Service) invoiceFile(ctx context.Context, merchantID uuid.UUID, of string,
	write func(context.Context, Invoice, purchase.Purchase) ([]byte, error)) ([]byte, error) {
	id, err := uuid.Parse(of)
	if err != nil {
		return nil, fault.Missing()
	}
	docs, err := s.Of(ctx, merchantID, id)
	if err != nil {
		return nil, err
	}
	if docs.Invoice == nil {
		return nil, fault.Missing()
	}
	p, err := s.Purchases.Store.Purchase(ctx, merchantID, id)
	if err != nil {
		return nil, err
	}
	return write(ctx, *docs.Invoice, p)
}
