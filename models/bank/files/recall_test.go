package files_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/bank/files"
	"debitdesk/models/bank/simbank"
	"debitdesk/models/calendar"
)

// sent hands a debit over that leaves in a message of its own, since it has a day of its own.
func (w *town) sent(merchant uuid.UUID, day calendar.Date) bank.Instruction {
	w.t.Helper()
	in := bank.Instruction{ID: uuid.New(), MerchantID: merchant, Method: bank.EFT, AmountCents: 12345, Currency: "ZAR",
		ActionDate: day, Branch: "632005", Account: "4000000000", AccountType: bank.Current, HolderName: "N Dlamini",
		StatementLine: "TESTMERCH1DD000644      261201", Sequence: bank.RecurringDebit, ContractReference: "DD000644",
		Creditor: bank.Creditor{Name: "Test Merchant", AbbreviatedName: "TESTMERCH1", ProfileCode: "TEST1",
			Branch: "250655", Account: "62001872440"}}
	if r, err := w.Submit(w.t.Context(), []bank.Instruction{in}); err != nil || r[0].Refused {
		w.t.Fatalf("%+v %v", r, err)
	}
	return in
}

// texts are what a query finds.
func (w *town) texts(sql string) []string {
	w.t.Helper()
	rows, err := w.store.Pool.Query(w.t.Context(), sql)
	must(w.t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(w.t, err)
	return found
}

// Whatever message recalls a debit that has left, and whatever message answers it, the debit is recalled, and one that
// is not withdrawn in time is paid.
func TestADebitThatHasLeftIsRecalledByEveryMessage(t *testing.T) {
	for _, way := range []struct{ form, answer string }{{"camt.055.001.09", "camt.029"}, {"camt.055.001.09", "pain.002"},
		{"pain.007.001.10", "camt.029"}} {
		t.Run(way.form+" answered by "+way.answer, func(t *testing.T) {
			first := calendar.On(2026, time.December, 2)
			w := newTown(t, first.AddDays(-12).At(9, 0), func(p *files.Profile, s *simbank.Settings) {
				p.RecallMessage, s.Recalls = way.form, way.answer
			})
			merchant := uuid.New()
			one, other, kept := w.sent(merchant, first), w.sent(merchant, first.AddDays(1)), w.sent(merchant, first)
			w.moveTo(first.AddDays(-1).At(17, 0)) // all have left, in two messages
			for _, in := range []bank.Instruction{one, other} {
				must(t, w.Recall(t.Context(), in.ID))
			}
			w.moveTo(first.AddDays(-1).At(18, 0))
			w.moveTo(first.AddDays(6).At(12, 0))
			told := map[uuid.UUID][]bank.MessageKind{}
			messages, err := w.Fetch(t.Context(), 100)
			must(t, err)
			for _, m := range messages {
				told[m.InstructionID] = append(told[m.InstructionID], m.Kind)
			}
			for in, want := range map[*bank.Instruction]bank.MessageKind{&one: bank.Recalled, &other: bank.Recalled,
				&kept: bank.Provisional} {
				if !slices.Equal(told[in.ID], []bank.MessageKind{want}) {
					t.Errorf("a debit of %s is told as %v, not %s", in.ActionDate, told[in.ID], want)
				}
			}
			recalls := w.texts(`SELECT concat_ws(' ', name, item_count, state) FROM bank_files_out WHERE kind = 'recalls'`)
			want := []string{way.form + " 2 accepted"}
			if way.form == "pain.007.001.10" { // a reversal is about one message alone
				want = []string{way.form + " 1 accepted", way.form + " 1 accepted"}
			} else if way.answer == "camt.029" {
				want = []string{way.form + " 2 acknowledged"}
			}
			if !slices.Equal(recalls, want) {
				t.Errorf("recalls left as %v, not %v", recalls, want)
			}
			if open := w.texts(`SELECT text FROM bank_findings WHERE closed_at IS NULL`); len(open) > 0 {
				t.Errorf("findings: %v", open)
			}
		})
	}
}
