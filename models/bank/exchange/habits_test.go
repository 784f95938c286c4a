package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
)

func withHabits(h exchange.Habits) func(*exchange.Rules) {
	return func(r *exchange.Rules) { r.Habits = h }
}

// What a bank has said of its habits narrows what is concluded from its files.
func TestWhatABankSaidOfItsHabitsNarrowsWhatIsConcluded(t *testing.T) {
	returned := func(id uuid.UUID) exchange.Event {
		e := booked(id, 15000, false, friday, "AM04")
		e.Account, e.BankOwnCode, e.Text = "50100000001", "RET", "36 STOP PAYMENT"
		return e
	}
	for name, is := range map[string]struct {
		habits exchange.Habits
		change func(*exchange.Event)
		want   string // of the debit; empty: it was not concluded
	}{
		"nothing was said":             {exchange.Habits{}, nil, "disputed 36"},
		"the reason is in the code":    {exchange.Habits{ReasonAt: exchange.ReasonInCode}, nil, "unpaid 02"},
		"the reason is in the words":   {exchange.Habits{ReasonAt: exchange.ReasonInWords}, nil, "disputed 36"},
		"the id stands there":          {exchange.Habits{IDsAt: []string{exchange.AtInstruction}}, nil, "disputed 36"},
		"the id stands somewhere else": {exchange.Habits{IDsAt: []string{exchange.AtUETR}}, nil, ""},
		"the code is one of returns":   {exchange.Habits{ReturnCodes: []string{"RET"}}, nil, "disputed 36"},
		"the code is none of returns":  {exchange.Habits{ReturnCodes: []string{"OTHER"}}, nil, ""},
		"the account comes alone":      {exchange.Habits{Account: exchange.AccountAlone}, nil, "disputed 36"},
		"the account has its branch": {exchange.Habits{Account: exchange.AccountAfterBranch},
			func(e *exchange.Event) { e.Account = "250655-50100000001" }, "disputed 36"},
		"the account should come alone": {exchange.Habits{Account: exchange.AccountAlone},
			func(e *exchange.Event) { e.Account = "250655-50100000001" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, withHabits(is.habits))
			b.own()
			ids, message := b.sent(1, thursday)
			e := returned(ids[0])
			if is.change != nil {
				is.change(&e)
			}
			b.arriveRevealed("day", acknowledged(message), e)
			got := b.outcomes()[ids[0]]
			if is.want == "" && (len(got) != 0 || len(b.findings()) == 0) ||
				is.want != "" && !slices.Equal(got, []string{is.want}) {
				t.Errorf("%v, findings %v", got, b.findings())
			}
		})
	}
	b := open(t, withHabits(exchange.Habits{NoReferences: []string{"sammel"}}))
	b.own()
	one := stray(15000, false, exchange.ByStatement)
	one.Reference = "SAMMEL"
	b.arriveRevealed("day", one)
	b.arriveRevealed("another day", one)
	if n := b.number(`SELECT count(*) FROM bank_entries WHERE reference = ''`); n != 2 {
		t.Errorf("%d movements of two documents whose reference names nothing", n)
	}
}

func TestAFileSaysWhichHabitsOfTheBankItContradicts(t *testing.T) {
	id := strings.ReplaceAll(uuid.NewString(), "-", "")
	entry := func(change func(*exchange.Event)) exchange.Event {
		e := exchange.Event{Kind: exchange.OnEntry, Path: "e1", Status: "BOOK", Account: "50100000001", HasAmount: true,
			AmountCents: 100, InstructionID: id}
		change(&e)
		return e
	}
	statement := exchange.Event{Kind: exchange.OnStatement, Path: "s"}
	with := func(change func(*exchange.Event)) []exchange.Event { return []exchange.Event{entry(change), statement} }
	reason := func(code, text string) func(*exchange.Event) {
		return func(e *exchange.Event) { e.Reasons = []bank.Reason{{Code: code, Text: text}} }
	}
	branch := func(e *exchange.Event) { e.Account = "25065550100000001" }
	nothing := func(*exchange.Event) {}
	for _, is := range []struct {
		key    string
		habits exchange.Habits
		events []exchange.Event
	}{
		{"ids_at", exchange.Habits{IDsAt: []string{exchange.AtEndToEnd}}, with(nothing)},
		{"reason_at", exchange.Habits{ReasonAt: exchange.ReasonInCode}, with(reason("", "UNPAID"))},
		{"reason_at", exchange.Habits{ReasonAt: exchange.ReasonInWords}, with(reason("AM04", ""))},
		{"account", exchange.Habits{Account: exchange.AccountAlone}, with(branch)},
		{"account", exchange.Habits{Account: exchange.AccountAfterBranch}, with(nothing)},
		{"fees", exchange.Habits{Fees: exchange.FeesApart}, with(func(e *exchange.Event) { e.ChargesCents = 3 })},
		{"fees", exchange.Habits{Fees: exchange.FeesInside}, with(func(e *exchange.Event) { e.BankCode = "PMNT/MDOP/CHRG" })},
		{"booking", exchange.Habits{Booking: exchange.BookedEach}, with(func(e *exchange.Event) { e.Batch = true })},
		{"booking", exchange.Habits{Booking: exchange.BookedInSums}, with(func(e *exchange.Event) { e.Credit = true })},
		{"return_codes", exchange.Habits{ReturnCodes: []string{"R"}}, with(func(e *exchange.Event) { e.BankOwnCode = "X" })},
		{"debit_codes", exchange.Habits{DebitCodes: []string{"D"}},
			with(func(e *exchange.Event) { e.BankOwnCode, e.Credit = "X", true })},
		{"statements", exchange.Habits{Statements: exchange.OneInFile}, []exchange.Event{statement, statement}},
		{"no_references", exchange.Habits{}, slices.Repeat(with(func(e *exchange.Event) { e.Reference = "ALL" }), 3)},
	} {
		var keys []string
		for _, c := range is.habits.Against(is.events) {
			keys = append(keys, c.Key)
		}
		if !slices.Equal(keys, []string{"answers_as." + is.key}) {
			t.Errorf("%+v: %v", is.habits, keys)
		}
		if odd := (exchange.Habits{NoReferences: []string{"ALL"}}).Against(is.events); len(odd) > 0 {
			t.Errorf("a bank that said nothing is contradicted: %v", odd)
		}
	}
}

// A file that came is read once more as if it came now: it says what the profile of today reads differently.
func TestAFileIsReplayedUnderTheProfileOfToday(t *testing.T) {
	b := open(t, nil)
	b.own()
	ids, message := b.sent(1, thursday)
	fee, back := stray(900, false, exchange.ByStatement), booked(ids[0], 15000, false, friday, "X1")
	fee.BankOwnCode, back.Account = "SVC", "50100000001"
	b.arriveRevealed("day", acknowledged(message), fee, back)
	b.Decoder = playback{acknowledged(message), fee, back}
	var id uuid.UUID
	must(t, b.store.Pool.QueryRow(t.Context(), `SELECT id FROM bank_files_in LIMIT 1`).Scan((*[16]byte)(&id)))
	said := func() string {
		_, trial, err := b.Replay(t.Context(), b.who, id)
		must(t, err)
		if trial.Why != "" || len(trial.Parts) != 3 {
			t.Fatalf("%+v", trial)
		}
		var lines []string
		for _, p := range trial.Parts {
			lines = append(lines, p.Lines()...)
		}
		return strings.Join(lines, "\n")
	}
	if got := said(); strings.Contains(got, "now it would be") {
		t.Errorf("nothing has changed: %s", got)
	}
	before := b.states()
	b.Rules.FeeCodes, b.Rules.Codes = []string{"SVC"}, map[string]string{"X1": "12"}
	got := said()
	for _, want := range []string{"matched to nothing, and waits for a person; now it would be a fee of the bank",
		bank.Label("12") + "."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
	b.wantStates(before)
	other := b.neighbour("62000000001")
	if _, trial, err := b.Replay(t.Context(), other, id); err == nil && len(trial.Parts) > 0 {
		t.Errorf("another business learns of %d parts", len(trial.Parts))
	}
}
