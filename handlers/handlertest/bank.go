package handlertest

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
	"debitdesk/models/calendar"
)

// HandOver charges clients of merchant A for a day, and hands their debits to the exchange. It gives the ids of the
// debits in the order in which they were made, and those of their purchases.
func (h *Server) HandOver(n int, cents int64, day calendar.Date) (debits, purchases []uuid.UUID) {
	h.tb.Helper()
	client := h.API("POST", "/clients/", map[string]any{"email": "n.dlamini@example.com", "full_name": "Nomsa Dlamini",
		"bank_account": "6200000001", "bank_code": "470010"}).Want(201).Text("id")
	token := h.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"m","price":0}],"payment_method_details":{"direct_debit":{}}}}`, client,
		h.A.BrandID)).Want(201).Text("id")
	for range n {
		purchase := h.API("POST", "/purchases/", fmt.Sprintf(
			`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"m","price":%d}]}}`,
			client, h.A.BrandID, day.At(12, 0).Unix(), cents)).Want(201).Text("id")
		h.API("POST", "/purchases/"+purchase+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, token)).Want(200)
		var debit uuid.UUID
		must(h.tb, h.Store.Pool.QueryRow(h.tb.Context(), `SELECT id FROM collections WHERE purchase_id = $1::text::uuid`,
			purchase).Scan((*[16]byte)(&debit)))
		debits, purchases = append(debits, debit), append(purchases, uuid.MustParse(purchase))
	}
	h.Submit(day, cents, debits...)
	return debits, purchases
}

// Submit hands debits of merchant A to the exchange.
func (h *Server) Submit(day calendar.Date, cents int64, debits ...uuid.UUID) {
	h.tb.Helper()
	var all []bank.Instruction
	for _, id := range debits {
		all = append(all, bank.Instruction{ID: id, MerchantID: h.A.ID, Method: bank.EFT, AmountCents: cents,
			Currency: "ZAR", ActionDate: day, Branch: "470010", Account: "6200000001", AccountType: bank.Current,
			HolderName: "Nomsa Dlamini", StatementLine: "GYM", Sequence: bank.RecurringDebit,
			Creditor: bank.Creditor{Name: "Brand a", AbbreviatedName: "TESTMERCH1", ProfileCode: "TST1", Account: "12345678",
				Branch: "051001"}})
	}
	_, err := h.Exchange.Submit(h.tb.Context(), all)
	must(h.tb, err)
}

// Run lets the exchange do what is due.
func (h *Server) Run() {
	h.tb.Helper()
	_, err := h.Exchange.Run(h.tb.Context())
	must(h.tb, err)
}

// CutAndTake makes a message of what waits, and lets somebody take it.
func (h *Server) CutAndTake() (message string) {
	h.tb.Helper()
	ids, err := h.Exchange.CutNow(h.tb.Context(), h.A.Finance.Actor())
	must(h.tb, err)
	h.Run()
	clear(h.Box.Out)
	h.Run()
	return ids[0]
}

// Arrive lets the bank say something.
func (h *Server) Arrive(name string, events ...exchange.Event) {
	h.tb.Helper()
	h.Box.In[name] = exchangetest.Arrival(events...)
	h.Run()
}

// Unmatched adds a movement on merchant A's account that names no debit.
func (h *Server) Unmatched(cents int64, credit bool, on calendar.Date) (id uuid.UUID) {
	h.tb.Helper()
	id = h.Store.NewID()
	h.exec(`INSERT INTO bank_entries (id, merchant_id, key, arrival_id, state, credit, reversal, amount_cents, currency,
			booked_on, reference, bank_code, reason, text)
		VALUES ($1, $2, $3, $4, 'unmatched', $5, false, $6, 'ZAR', $7, 'FB77', 'PMNT/IDDT/ESDD', '', 'DEBIT ORDER CREDIT')`,
		id, h.A.ID, strings.ReplaceAll(id.String(), "-", ""), uuid.New(), credit, cents, on.String())
	return id
}

// At moves the product's clock.
func (h *Server) At(t time.Time) {
	h.tb.Helper()
	must(h.tb, h.Store.Clock.MoveTo(h.tb.Context(), t))
}
