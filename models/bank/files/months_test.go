package files_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/bank/simbank"
	"debitdesk/models/calendar"
)

// accounts of the simulated bank: paid, returned, returned late, disputed, unknown at once. The last one is
// never booked nor returned: where silence is success, no bank may do that.
var accounts = []bank.AccountNumber{"4000000000", "4000000001", "4000009002", "4000009012", "4000009500", "4000009030",
	"4000009430", "4000007001", "4000009901"}

// through moves day by day, at the hours at which something happens at a bank.
func (w *town) through(day calendar.Date) {
	w.t.Helper()
	for d := calendar.DateOf(w.store.Now()); !d.After(day); d = d.AddDays(1) {
		for _, hour := range []int{6, 9, 13, 17} {
			if at := d.At(hour, 0); at.After(w.store.Now()) {
				must(w.t, w.store.Clock.MoveTo(w.t.Context(), at))
				w.settle()
			}
		}
	}
}

func TestWhateverTheBankDoesWrongTheDebitsAddUpToItsLedger(t *testing.T) {
	for name, wrong := range map[string][]simbank.Misbehaviour{
		"twice and in halves": {simbank.Twice, simbank.Halves, simbank.CRLF},
		"zipped copies, strangers and prefixes": {simbank.Copies, simbank.UnknownIDs, simbank.Prefixes,
			simbank.BOM, simbank.Zipped},
		"returns twice in another coding": {simbank.ReturnTwice, simbank.Latin1, simbank.Growing, simbank.WrongTotals},
	} {
		for _, success := range []string{"silence", "booked"} {
			t.Run(name+" "+success, func(t *testing.T) { addUp(t, success, wrong) })
		}
	}
}

func addUp(t *testing.T, success string, wrong []simbank.Misbehaviour) {
	begin := calendar.On(2026, 12, 1)
	w := newTown(t, begin.At(5, 0), func(p *files.Profile, s *simbank.Settings) {
		service := p.Services["eft"]
		service.Success = success
		p.Services["eft"] = service
		s.Booking = simbank.Single
	})
	w.bank.Misbehave(wrong...)
	merchant, random, cal := uuid.New(), rand.New(rand.NewPCG(7, 11)), calendar.New()
	who := actor.Actor{Kind: actor.User, Role: actor.Finance, MerchantID: merchant, Name: "Fatima"}
	sent, of := map[uuid.UUID]int64{}, accounts
	if success == "silence" {
		of = accounts[:len(accounts)-1]
	}
	for day, n := begin, 0; n < 12; day, n = cal.AddBusinessDays(day, 1), n+1 {
		w.through(day.AddDays(-1))
		var debits []bank.Instruction
		for range 5 {
			in := bank.Instruction{ID: uuid.New(), MerchantID: merchant, Method: bank.EFT,
				AmountCents: 100 + random.Int64N(100000), Currency: "ZAR", ActionDate: cal.AddBusinessDays(day, 3+random.IntN(3)),
				Branch: "632005", Account: of[random.IntN(len(of))], AccountType: bank.Current,
				HolderName: "Zoë O’Brien", StatementLine: "GYM 0001", Sequence: bank.RecurringDebit, ContractReference: "C1",
				MandateDate: begin.AddDays(-30), Creditor: bank.Creditor{Name: "Gym", AbbreviatedName: "GYM", ProfileCode: "G1",
					Branch: "250655", Account: "62001872440"}}
			debits, sent[in.ID] = append(debits, in), in.AmountCents
		}
		_, err := w.Submit(t.Context(), debits)
		must(t, err)
		switch n {
		case 3:
			w.bank.Misbehave(append(wrong, simbank.RefuseFile)...)
		case 6:
			w.bank.Misbehave(append(wrong, simbank.LoseFile)...)
		}
		w.through(day)
		w.decide(who)
	}
	w.through(begin.AddDays(75))
	w.decide(who)
	w.through(begin.AddDays(76))

	atBank := map[string]int64{}
	for _, e := range w.bank.Entries() {
		atBank[e.ID] += e.Cents
	}
	for id, cents := range sent {
		item, found, err := w.Store.ExchangeItem(t.Context(), id, false)
		must(t, err)
		if item.Outcome == "" && success == "silence" {
			t.Errorf("a debit of %d in %s never came to an end", cents, item.MessageID)
		}
		has := int64(0)
		if item.Outcome == bank.Provisional || item.Outcome == bank.Successful {
			has = cents
		}
		if at := atBank[strings.ReplaceAll(id.String(), "-", "")]; !found || at != has {
			t.Errorf("a debit of %d is %s/%s with us and %d at the bank", cents, item.State, item.Outcome, at)
		}
	}
	var booked, matched int64
	for _, cents := range atBank {
		booked += cents
	}
	must(
		t,
		w.store.Pool.QueryRow(t.Context(), `SELECT coalesce(sum(CASE WHEN credit THEN amount_cents ELSE -amount_cents END), 0)
		FROM bank_entries WHERE state = 'matched'`).Scan(&matched),
	)
	if booked == 0 || booked != matched {
		t.Errorf("the bank's ledger comes to %d, the movements that we matched to %d", booked, matched)
	}
	var secrets int
	must(
		t,
		w.store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM bank_answers a
			WHERE convert_from(raw, 'UTF8') ~ '400000|6200187'
		OR convert_from(raw, 'UTF8') ILIKE '%brien%'`).
			Scan(&secrets),
	)
	if secrets > 0 {
		t.Errorf("%d answers carry an account number or a name", secrets)
	}
}

// decide does what a person does: what was refused is sent again, what was lost is laid out again, and the bank is
// asked about what it counts differently.
func (w *town) decide(who actor.Actor) {
	w.t.Helper()
	rows, err := w.store.Pool.Query(w.t.Context(), `SELECT kind, message_id, EXISTS (SELECT FROM bank_findings d
			WHERE d.kind = 'differs' AND d.message_id = f.message_id) FROM bank_findings f
		WHERE closed_at IS NULL AND kind IN ('message_refused', 'not_acknowledged')`)
	must(w.t, err)
	type finding struct {
		kind, message string
		there         bool // the bank has it, and counts something else in it
	}
	var all []finding
	for rows.Next() {
		var f finding
		must(w.t, rows.Scan(&f.kind, &f.message, &f.there))
		all = append(all, f)
	}
	must(w.t, rows.Err())
	for _, f := range all {
		act := w.PlaceAgain
		switch {
		case f.kind == string(exchange.MessageRefused):
			act = w.SendAgain
		case f.there:
			act = w.Confirm
		}
		_, err := act(w.t.Context(), who, f.message)
		must(w.t, err)
	}
	w.answered(who)
	w.settle()
}

// answered settles what holds silence until a person has asked the bank: what its answers about unknown items, its
// other sums, and its files that nobody can read were about.
func (w *town) answered(who actor.Actor) {
	w.t.Helper()
	rows, err := w.store.Pool.Query(w.t.Context(), `SELECT id FROM bank_findings WHERE closed_at IS NULL
		AND kind IN ('differs', 'unknown_item', 'unreadable') AND merchant_id = $1`, [16]byte(who.MerchantID))
	must(w.t, err)
	var ids []uuid.UUID
	for rows.Next() {
		var id uuid.UUID
		must(w.t, rows.Scan((*[16]byte)(&id)))
		ids = append(ids, id)
	}
	must(w.t, rows.Err())
	for _, id := range ids {
		_, err := w.Settle(w.t.Context(), who, id, "The bank says that it means none of ours.")
		must(w.t, err)
	}
	_, err = w.store.Pool.Exec(w.t.Context(), `UPDATE bank_findings SET closed_at = opened_at
		WHERE closed_at IS NULL AND kind = 'unreadable' AND merchant_id IS NULL`)
	must(w.t, err)
}

// After an outage the returns of the morning lie in the inbox, and are not read before they stand still for a while.
func TestAReturnThatIsNotReadYetIsNotTakenForSilence(t *testing.T) {
	day := calendar.On(2026, 12, 1)
	w := newTown(t, day.AddDays(-11).At(9, 0), nil)
	in := bank.Instruction{
		ID:                uuid.New(),
		MerchantID:        uuid.New(),
		Method:            bank.EFT,
		AmountCents:       12300,
		Currency:          "ZAR",
		ActionDate:        day,
		Branch:            "632005",
		Account:           "4000009002",
		AccountType:       bank.Current,
		HolderName:        "N Dlamini",
		StatementLine:     "GYM 0001",
		Sequence:          bank.RecurringDebit,
		ContractReference: "C1",
		MandateDate:       day.AddDays(-30),
		Creditor: bank.Creditor{Name: "Gym", AbbreviatedName: "GYM", ProfileCode: "G1", Branch: "250655",
			Account: "62001872440"},
	}
	_, err := w.Submit(t.Context(), []bank.Instruction{in})
	must(t, err)
	w.through(day)
	box, err := files.OpenBox(w.dir, files.Settings{MaxBytes: 1 << 20, Now: w.store.Now, Settle: time.Minute})
	must(t, err)
	t.Cleanup(func() { _ = box.Close() })
	w.Box = box
	must(t, w.store.Clock.MoveTo(t.Context(), day.AddDays(1).At(9, 0))) // silence would have counted at eight
	_, err = w.bank.Round(t.Context())
	must(t, err)
	for range 3 {
		_, err := w.Run(t.Context())
		must(t, err)
	}
	item, _, err := w.Store.ExchangeItem(t.Context(), in.ID, false)
	if err != nil || item.Outcome != "" {
		t.Errorf("before the return was read the debit is %q %v", item.Outcome, err)
	}
	must(t, w.store.Clock.MoveTo(t.Context(), day.AddDays(1).At(9, 2)))
	w.settle()
	if item, _, err = w.Store.ExchangeItem(t.Context(), in.ID, false); err != nil || item.Outcome != bank.Unpaid {
		t.Errorf("afterwards it is %q %v", item.Outcome, err)
	}
}
