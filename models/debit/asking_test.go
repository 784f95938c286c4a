package debit_test

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
)

// asking is a request for a DebiCheck mandate, as tests vary it.
type asking struct {
	account  bank.AccountNumber
	cents    int64
	collect  int64 // taken at once; the price unless noFirst is set
	noFirst  bool
	how      mandate.Method // REALTIME when left out
	fallback bool
	kind     mandate.ValueType // FIXED when left out
	most     int64
	once     bool
	verify   bool
	anyDay   bool
	due      *time.Time
}

func (a asking) input(brand uuid.UUID) purchase.Input {
	if a.how == "" {
		a.how = mandate.RealTime
	}
	if a.kind == "" {
		a.kind = mandate.Fixed
	}
	if a.most == 0 {
		a.most = a.cents
	}
	sequence := mandate.Recurring
	if a.once {
		sequence = mandate.OnceOff
	}
	details := one(a.cents)
	if a.noFirst || a.collect > 0 {
		details.TotalOverrideCents = &a.collect
	}
	return purchase.Input{
		Client: &client.Details{Email: "n@example.org", FullName: "N Dlamini", Phone: "27821234567",
			PersonalCode: "8001015009087",
			BankAccount:  a.account, BankCode: "632005", AccountType: bank.Current},
		BrandID: brand, Currency: "ZAR", Due: a.due, Details: details,
		DirectDebit: &purchase.DirectDebitInput{Ask: &mandate.Ask{ValueType: string(a.kind),
			AuthenticationType: string(a.how), DebitSequence: string(sequence),
			AdjustmentCategory: string(mandate.Never), DelayedOnFailure: a.fallback, AllowDateAdjustment: a.anyDay,
			VerifyAccount: a.verify, MaxAmountCents: &a.most}},
		Options: purchase.Options{Whitelist: []string{"debicheck"}, ForceRecurring: true},
	}
}

// ask makes the request and hands it to the bank.
func (h *house) ask(a asking) purchase.Record {
	h.t.Helper()
	rec := h.request(a)
	h.run()
	return rec
}

// request leaves the handing over to somebody else.
func (h *house) request(a asking) purchase.Record {
	h.t.Helper()
	rec, err := h.purchases.Create(ctx, h.who, a.input(h.brand))
	must(h.t, err)
	return rec
}

func (h *house) run() {
	h.t.Helper()
	_, err := h.debits.Run(ctx)
	must(h.t, err)
}

func (h *house) mandate(id uuid.UUID) mandate.Mandate {
	h.t.Helper()
	m, err := mandate.Store{DB: h.store}.Mandate(ctx, h.who.MerchantID, id)
	must(h.t, err)
	return m
}

// asked is how often the payer was asked, newest first.
func (h *house) asked(id uuid.UUID) []mandate.Authentication {
	h.t.Helper()
	all, err := mandate.Store{DB: h.store}.AuthenticationsOf(ctx, h.who.MerchantID, id)
	must(h.t, err)
	return all
}

// lastError is the attempt error code that the API shows first.
func lastError(p purchase.Record) string {
	if len(p.Attempts) == 0 || p.Attempts[0].Error == nil {
		return ""
	}
	return p.Attempts[0].Error.Code
}

func why(p purchase.Record) []string {
	if p.Collection == nil {
		return nil
	}
	because, _ := p.Collection.MayBeDisputed()
	return because
}

func noon(d calendar.Date) *time.Time {
	at := d.At(12, 0)
	return &at
}
