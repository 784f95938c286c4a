package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/files"
	"debitdesk/models/bank/simbank"
	"debitdesk/models/calendar"
)

// A bank that tells of money in statements of SWIFT alone: what it booked counts as from any other file, and a camt.053
// that tells of the same day changes nothing.
func TestAStatementInAnotherFormCountsAsAnyOther(t *testing.T) {
	day := calendar.On(2026, 12, 1)
	w := newTown(t, day.AddDays(-6).At(9, 0), func(p *files.Profile, _ *simbank.Settings) {
		service := p.Services["eft"]
		service.Success = "booked"
		p.Services["eft"] = service
	})
	who := w.business("62001872440")
	var debits []bank.Instruction
	for n := range 3 {
		debits = append(debits, bank.Instruction{ID: uuid.New(), MerchantID: who.MerchantID, Method: bank.EFT,
			AmountCents: int64(12300 + n), Currency: "ZAR", ActionDate: day, Branch: "632005", Account: "4000009001",
			AccountType: bank.Current, HolderName: "N Dlamini", StatementLine: "GYM 0001", Sequence: bank.RecurringDebit,
			ContractReference: "C1", MandateDate: day.AddDays(-30), Creditor: bank.Creditor{Name: "Gym",
				AbbreviatedName: "GYM", ProfileCode: "G1", Branch: "250655", Account: "62001872440"}})
	}
	_, err := w.Submit(t.Context(), debits)
	must(t, err)
	_, err = w.CutNow(t.Context(), who)
	must(t, err)
	_, err = w.Run(t.Context())
	must(t, err)
	placed, err := filepath.Glob(filepath.Join(w.dir, "outbox", "*"))
	must(t, err)
	for _, name := range placed { // another bank than the simulated one takes it
		must(t, os.Remove(name))
	}
	id := func(n int) string { return strings.ReplaceAll(debits[n].ID.String(), "-", "") }
	swift := fmt.Sprintf(":20:S1\r\n:25:250655/62001872440\r\n:28C:1/1\r\n:60F:C261130ZAR0,00\r\n"+
		":61:2612011201C123,00NDDT%s//B1\r\n:61:2612011201C123,01NDDTNONREF//B2\r\n:86:EREF+%s\r\n"+
		":61:2612011201D126,02NRTINONREF//B3\r\n:86:%s 36 STOP PAYMENT\r\n:61:2612011201D3,00NCHGNONREF\r\n"+
		":62F:C261201ZAR116,99\r\n", id(0)[:16], id(1), id(2))
	must(t, w.store.Clock.MoveTo(t.Context(), day.AddDays(1).At(9, 0)))
	must(t, os.WriteFile(filepath.Join(w.dir, "inbox", "day.sta"), []byte(swift), 0o600))
	for hour := 9; hour < 12; hour++ {
		must(t, w.store.Clock.MoveTo(t.Context(), day.AddDays(1).At(hour, 30)))
		_, err := w.Run(t.Context())
		must(t, err)
	}
	outcome := func(n int) bank.MessageKind {
		item, _, err := w.Store.ExchangeItem(t.Context(), debits[n].ID, false)
		must(t, err)
		return item.Outcome
	}
	if outcome(0) != bank.Provisional || outcome(1) != bank.Provisional || outcome(2) != "" {
		t.Errorf("the debits are %q, %q and %q", outcome(0), outcome(1), outcome(2))
	}
	var fees, unmatched int
	must(t, w.store.Pool.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE state = 'fee'),
		count(*) FILTER (WHERE state = 'unmatched') FROM bank_entries`).Scan(&fees, &unmatched))
	if fees != 1 || unmatched != 1 { // the return has a fee in it that nobody says: a person accepts it
		t.Errorf("%d fees and %d unmatched movements", fees, unmatched)
	}
}
