package exchange_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/upkeep"
)

var thursday = monday.AddDays(3)

func TestADebitLeavesAtTheNextCutInOneMessage(t *testing.T) {
	b := open(t, nil)
	ids := b.debits(2, thursday)
	b.work()
	if len(b.box.Placed) != 0 {
		t.Fatalf("nothing leaves before the cut: %v", b.box.Placed)
	}
	b.at(monday.At(11, 30))
	b.work()
	if len(b.box.Placed) != 1 || b.box.Placed[0] != "DD20270111-000001.txt" {
		t.Fatalf("placed: %v", b.box.Placed)
	}
	if again := b.submit(ids, thursday); !again[0].Repeat || !again[1].Repeat {
		t.Errorf("handed over again: %+v", again)
	}
	b.work()
	b.at(monday.AddDays(1).At(8, 0))
	b.work()
	if len(b.box.Placed) != 1 {
		t.Errorf("one item, one message: %v", b.box.Placed)
	}
}

func TestADebitAfterTheLastCutLeavesAtOnceAndAfterTheDeadlineWaitsForAPerson(t *testing.T) {
	b := open(t, nil)
	day := monday.AddDays(2) // its deadline is Monday at 12:00
	b.at(monday.At(11, 45))
	b.debits(1, day)
	b.work()
	if len(b.box.Placed) != 1 {
		t.Fatalf("between the last cut and the deadline: %v", b.box.Placed)
	}
	b.at(monday.At(12, 1))
	late := b.debits(2, day)
	b.at(monday.AddDays(1).At(8, 0))
	b.work()
	if len(b.box.Placed) != 1 || !slices.Equal(b.findings(), []string{"missed_deadline"}) {
		t.Fatalf("placed %v, findings %v", b.box.Placed, b.findings())
	}
	n, err := b.Late(t.Context(), b.who, day, false)
	if err != nil || n != 2 || len(b.findings()) != 0 {
		t.Fatalf("%d marked, %v, findings %v", n, err, b.findings())
	}
	if got := b.outcomes()[late[0]]; !slices.Equal(got, []string{"unpaid NR"}) {
		t.Errorf("a late debit that was not sent: %v", got)
	}
	if _, err := b.Late(t.Context(), b.who, day, true); !fault.HasCode(err, "nothing_late") {
		t.Errorf("the second decision: %v", err)
	}
}

func TestSilenceIsSuccessOnlyAfterTheBankHasAcknowledged(t *testing.T) {
	b := open(t, nil)
	ids, message := b.sent(2, thursday)
	b.at(thursday.AddDays(1).At(6, 0)) // Friday
	b.work()
	if got := b.outcomes(); len(got) != 0 {
		t.Fatalf("silence without acknowledgement: %v", got)
	}
	if !slices.Equal(b.findings(), []string{"not_acknowledged"}) {
		t.Fatalf("findings: %v", b.findings())
	}
	b.arrive("late-ack", acknowledged(message), status(ids[1], "RJCT", "AM04"))
	got := b.outcomes()
	if !slices.Equal(got[ids[0]], []string{"provisional 00"}) || !slices.Equal(got[ids[1]], []string{"unpaid 02"}) {
		t.Errorf("after the acknowledgement: %v", got)
	}
	if len(b.findings()) != 0 {
		t.Errorf("the finding is settled: %v", b.findings())
	}
}

func TestAMessageThatTheBankRefusesFailsNobodyAndIsDecidedOnce(t *testing.T) {
	for _, again := range []bool{true, false} {
		b := open(t, nil)
		ids, message := b.sent(3, thursday)
		refusal := exchange.Event{Kind: exchange.OnMessage, MessageID: message, Status: "RJCT",
			Reasons: []exchange.Reason{{Code: "AG08"}}}
		b.arrive("refused", refusal)
		b.arrive("refused-again", refusal, refusal)
		b.at(thursday.AddDays(4).At(7, 0))
		b.work()
		if len(b.outcomes()) != 0 || !slices.Equal(b.findings(), []string{"message_refused"}) {
			t.Fatalf("outcomes %v, findings %v", b.outcomes(), b.findings())
		}
		b.at(thursday.AddDays(4).At(7, 1))
		placed := len(b.box.Placed)
		var wins, losses int
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				decide := b.Drop
				if again {
					decide = b.SendAgain
				}
				_, err := decide(t.Context(), b.who, message)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					wins++
				case fault.HasCode(err, "nothing_refused"):
					losses++
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		b.work()
		if wins != 1 || losses != 3 || len(b.findings()) != 0 {
			t.Errorf("%d won, %d lost, findings %v", wins, losses, b.findings())
		}
		if again {
			if len(b.box.Placed) != placed+1 || b.box.Placed[placed] == b.box.Placed[0] {
				t.Errorf("sent again under another name: %v", b.box.Placed)
			}
			continue
		}
		if got := b.outcomes(); len(b.box.Placed) != placed || !slices.Equal(got[ids[2]], []string{"unpaid NR"}) {
			t.Errorf("marked as not collected: %v, placed %v", got, b.box.Placed)
		}
	}
}

func TestAnyOrderAndRepetitionOfAnswersEndsTheSame(t *testing.T) {
	type told struct{ outcome, state string }
	var first map[int]told
	for round := range 6 {
		b := open(t, func(r *exchange.Rules) { r.Success[bank.EFT] = exchange.ByBooking })
		ids, message := b.sent(5, thursday)
		events := []exchange.Event{acknowledged(message), status(ids[0], "RJCT", "AC04"),
			booked(ids[1], 15000, true, thursday), booked(ids[1], 15000, false, thursday.AddDays(1), "AM04"),
			booked(ids[2], 15000, true, thursday), booked(ids[2], 15000, false, thursday.AddDays(20), "MD01"),
			booked(ids[3], 15000, true, thursday), {Kind: exchange.OnMessage, MessageID: message, Status: "PART"}}
		random := rand.New(rand.NewPCG(uint64(round), 7))
		events = append(events, events...)
		random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		for n := 0; len(events) > 0; n++ {
			size := min(1+random.IntN(4), len(events))
			b.arrive(fmt.Sprintf("part-%d", n), events[:size]...)
			events = events[size:]
		}
		got := map[int]told{}
		for n, id := range ids {
			var is told
			must(t, b.store.Pool.QueryRow(t.Context(), `SELECT outcome, state FROM bank_items WHERE id = $1`, id).Scan(
				&is.outcome, &is.state))
			got[n] = is
		}
		if first == nil {
			first = got
		}
		for n := range ids {
			if got[n] != first[n] {
				t.Errorf("round %d, item %d: %v, was %v", round, n, got[n], first[n])
			}
		}
		if sum := b.number(
			`SELECT sum(CASE WHEN credit THEN amount_cents ELSE -amount_cents END) FROM bank_entries`,
		); sum != 15000 {
			t.Errorf("round %d: the movements come to %d", round, sum)
		}
		if b.number(`SELECT count(*) FROM bank_entries`) != 5 {
			t.Errorf("round %d: a movement was kept twice", round)
		}
	}
	want := map[int]told{0: {"unpaid", "sent"}, 1: {"unpaid", "sent"}, 2: {"disputed", "sent"}, 3: {"provisional", "sent"},
		4: {"", "sent"}}
	for n, is := range want {
		if first[n] != is {
			t.Errorf("item %d: %v, want %v", n, first[n], is)
		}
	}
}

func TestACrashAtAnyStepWritesTheSameBytesOnce(t *testing.T) {
	b := open(t, nil)
	b.debits(3, thursday)
	b.at(monday.At(11, 30))
	b.Encoder = exchangetest.Codec{Account: "50100000001", Broken: errors.New("killed while it was written")}
	if _, err := b.Run(t.Context()); err == nil {
		t.Fatal("the crash went unnoticed")
	}
	b.Encoder, b.box.FailsToPlace = exchangetest.Codec{Account: "50100000001"}, errors.New("killed after it was placed")
	if _, err := b.Run(t.Context()); err == nil {
		t.Fatal("the crash went unnoticed")
	}
	b.box.FailsToPlace = nil
	b.work()
	b.work()
	if len(b.box.Out) != 1 || b.number(`SELECT count(*) FROM bank_files_out`) != 1 ||
		b.number(`SELECT next FROM bank_numbers`) != 2 {
		t.Errorf("one message, one name, one number: %v", b.box.Placed)
	}
}

func TestTwoWorkersCutWithoutGapsAndWithoutTwins(t *testing.T) {
	b := open(t, func(r *exchange.Rules) { r.MaxItems = 2 })
	b.debits(9, thursday)
	b.at(monday.At(11, 30))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := b.Run(t.Context()); err != nil && !errors.Is(err, fault.ErrLost) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	b.work()
	if n := b.number(`SELECT max(number) - count(*) FROM bank_files_out`); n != 0 {
		t.Errorf("%d numbers are missing", n)
	}
	if n := b.number(`SELECT sum(item_count) FROM bank_files_out`); n != 9 {
		t.Errorf("%d of 9 items are in messages", n)
	}
	if n := b.number(`SELECT count(*) FROM bank_items WHERE state = 'sent'`); n != 9 {
		t.Errorf("%d of 9 items left", n)
	}
}

func TestARecallBeforeTheCutNeverLeavesAndAfterItAsksTheBank(t *testing.T) {
	b := open(t, nil)
	ids := b.debits(1, thursday)
	must(t, b.Recall(t.Context(), ids[0]))
	must(t, b.Recall(t.Context(), ids[0]))
	b.at(monday.At(11, 30))
	b.work()
	if got := b.outcomes()[ids[0]]; len(b.box.Placed) != 0 || !slices.Equal(got, []string{"recalled 28"}) {
		t.Fatalf("placed %v, told %v", b.box.Placed, got)
	}
	sent, message := b.sent(2, thursday)
	b.arrive("ack", acknowledged(message))
	must(t, b.Recall(t.Context(), sent[0]))
	b.at(monday.At(12, 0))
	b.work()
	if n := len(b.box.Placed); b.box.Placed[n-1] != "RC20270111-000001.txt" {
		t.Fatalf("placed: %v", b.box.Placed)
	}
	b.at(thursday.AddDays(1).At(6, 0))
	b.work()
	got := b.outcomes()
	if len(got[sent[0]]) != 0 || !slices.Equal(got[sent[1]], []string{"provisional 00"}) {
		t.Errorf("a recall that nobody answered is no success by silence: %v", got)
	}
	if err := b.Recall(t.Context(), sent[1]); !errors.Is(err, bank.ErrTooLate) {
		t.Errorf("a recall after the answer: %v", err)
	}
	if err := b.Recall(t.Context(), uuid.New()); !errors.Is(err, bank.ErrUnknown) {
		t.Errorf("a recall of nothing: %v", err)
	}
}

func TestWhatDoesNotAgreeBecomesAFindingAndNotAResult(t *testing.T) {
	b := open(t, nil)
	ids, message := b.sent(1, thursday)
	wrong := status(ids[0], "RJCT", "AM04")
	wrong.HasAmount, wrong.AmountCents = true, 14999
	b.arrive("wrong", acknowledged(message), wrong, status(uuid.New(), "RJCT", "AM04"), acknowledged("DD20200101-000009"),
		exchange.Event{Kind: exchange.OnMessage, MessageID: message, Status: "ACTC", HasCount: true, Count: 2})
	if got := b.findings(); !slices.Equal(got, []string{"differs", "differs", "unknown_item", "unknown_message"}) {
		t.Errorf("findings: %v", got)
	}
	if len(b.outcomes()) != 0 {
		t.Errorf("outcomes: %v", b.outcomes())
	}
	b.box.In["nonsense"] = []byte("nonsense")
	b.work()
	if len(b.box.Rejected) != 1 || !slices.Contains(b.findings(), "unreadable") {
		t.Errorf("put aside %v, findings %v", b.box.Rejected, b.findings())
	}
}

func TestAMovementWithoutReferenceIsMatchedByAPersonOnce(t *testing.T) {
	b := open(t, func(r *exchange.Rules) { r.Success[bank.EFT] = exchange.ByBooking })
	b.exec(
		`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name,
			account_number, is_default, created_at)
		SELECT $1, merchant_id, id, 'GYM1', 'GYM', '50100000001', true, $2 FROM brands`,
		uuid.New(),
		b.store.Now(),
	)
	ids, message := b.sent(2, thursday)
	entry := exchange.Event{Kind: exchange.OnEntry, Status: "BOOK", Account: "050100000001", Credit: true, HasAmount: true,
		AmountCents: 15000, BookedOn: thursday, Reference: "FB1", BankCode: "PMNT/IDDT/ESDD"}
	text := []exchange.Event{acknowledged(message), entry}
	b.arriveRevealed("statement", text...)
	if !slices.Equal(b.findings(), []string{"unmatched"}) {
		t.Fatalf("findings: %v", b.findings())
	}
	var id uuid.UUID
	must(
		t,
		b.store.Pool.QueryRow(t.Context(), `SELECT id FROM bank_entries WHERE merchant_id = $1`, b.who.MerchantID).Scan(&id),
	)
	if _, err := b.Match(t.Context(), b.who, id, ids[0], 0); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Match(t.Context(), b.who, id, ids[1], 0); !fault.HasCode(err, "matched") {
		t.Errorf("matched twice: %v", err)
	}
	b.at(b.store.Now().Add(11 * time.Minute))
	if got := b.outcomes(); !slices.Equal(got[ids[0]], []string{"provisional 00"}) || len(got) != 1 {
		t.Errorf("outcomes: %v", got)
	}
	stranger := b.who
	stranger.MerchantID = uuid.New()
	if _, err := b.Match(t.Context(), stranger, id, ids[1], 0); err == nil {
		t.Error("another merchant matched it")
	}
}

func TestCutsAndDeadlinesFollowTheCalendar(t *testing.T) {
	r := exchange.Rules{Cuts: []calendar.TimeOfDay{{Hour: 8}, {Hour: 11, Minute: 30}},
		Deadline: calendar.TimeOfDay{Hour: 12}, LeadDays: map[bank.Method]int{bank.EFT: 2}}
	cal := calendar.New()
	for _, c := range []struct {
		now, next time.Time
	}{
		{monday.At(7, 0), monday.At(8, 0)},
		{monday.At(8, 0), monday.At(8, 0)},
		{monday.At(11, 31), monday.AddDays(1).At(8, 0)},
		{monday.AddDays(4).At(11, 31), monday.AddDays(7).At(8, 0)},                           // Friday
		{calendar.On(2027, 3, 25).At(12, 0), calendar.On(2027, 3, 30).At(8, 0)},              // before Easter
		{calendar.On(2026, 12, 31).At(12, 0), calendar.On(2027, 1, 4).At(8, 0)},              // the turn of the year
		{calendar.On(2026, 12, 31).At(11, 30), calendar.On(2026, 12, 31).At(11, 30)},         // at the very cut
		{calendar.On(2027, 1, 31).At(23, 59), calendar.On(2027, 2, 1).At(8, 0)},              // the end of a month
		{calendar.On(2027, 1, 31).At(23, 59).In(time.UTC), calendar.On(2027, 2, 1).At(8, 0)}, // whatever the zone
		{time.Date(2027, 1, 11, 6, 0, 0, 0, time.UTC), monday.At(8, 0)},                      // 08:00 SAST
		{time.Date(2027, 1, 11, 6, 0, 0, 1000, time.UTC), monday.At(11, 30)},                 // a microsecond later
	} {
		if got := r.NextCut(cal, c.now); !got.Equal(c.next) {
			t.Errorf("after %s: %s, want %s", c.now, got, c.next)
		}
	}
	if got := r.DeadlineFor(cal, bank.EFT, calendar.On(2027, 3, 30)); !got.Equal(calendar.On(2027, 3, 24).At(12, 0)) {
		t.Errorf("the deadline of the day after Easter is %s", got)
	}
}

func TestAFileToTheBankIsSealedAnewWithANewKey(t *testing.T) {
	b := open(t, nil)
	_, message := b.sent(2, thursday)
	// There is more than one chunk.
	b.exec(
		`INSERT INTO bank_files_out (id, merchant_id, kind, name, number, file_name, state,
			item_count, sum_cents, made_by, made_at)
		SELECT 'DD20200101-' || n, $1, 'debits', 'lines', 1000 + n, 'old-' || n, 'accepted', 1, 1, '', now()
		FROM generate_series(1, 600) n`,
		b.who.MerchantID)
	before, err := b.Store.Content(t.Context(), message)
	must(t, err)
	must(
		t,
		b.store.Seal.Replace(
			[]seal.Key{{ID: "k2", Secret: bytes.Repeat([]byte{1}, 32)}, {ID: "k1", Secret: make([]byte, 32)}},
		),
	)
	must(t, upkeep.Store{DB: b.store}.BeginRotation(t.Context(), "k2", func() error { return nil }))
	must(t, upkeep.Store{DB: b.store}.Reseal(t.Context(), nil))
	must(t, b.store.Seal.Replace([]seal.Key{{ID: "k2", Secret: bytes.Repeat([]byte{1}, 32)}}))
	after, err := b.Store.Content(t.Context(), message)
	must(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the bytes of the file are others")
	}
	if out, err := b.Store.Outgoing(t.Context(), message); err != nil || len(out.Groups[0].Items) != 2 {
		t.Errorf("its items: %v", err)
	}
}

func TestARefundIsTakenBackUntilItLeaves(t *testing.T) {
	b := open(t, nil)
	refunds := []bank.Refund{{ID: uuid.New()}, {ID: uuid.New()}}
	for i := range refunds {
		r := &refunds[i]
		r.InstructionID, r.MerchantID = uuid.New(), b.who.MerchantID
		r.AmountCents, r.Currency, r.Branch = 15000, "ZAR", "632005"
		r.Account, r.AccountType, r.HolderName, r.StatementLine = "4047527520", bank.Current, "N Dlamini", "GYM"
		r.Creditor = bank.Creditor{Name: "Gym", AbbreviatedName: "GYM", Account: "50100000001", Branch: "250655"}
	}
	_, err := b.SubmitRefunds(t.Context(), refunds)
	must(t, err)
	takeBack := func(merchantID, id uuid.UUID) (back bool) {
		t.Helper()
		must(t, b.store.InTx(t.Context(), func(tx *database.Tx) (err error) {
			back, err = b.TakeRefundBack(tx, merchantID, id)
			return err
		}))
		return back
	}
	held := func(merchantID uuid.UUID) int {
		t.Helper()
		ids, err := b.HeldRefunds(t.Context(), merchantID, []uuid.UUID{refunds[0].ID, refunds[1].ID})
		must(t, err)
		return len(ids)
	}
	if n, others := held(b.who.MerchantID), held(uuid.New()); n != 2 || others != 0 {
		t.Errorf("%d refunds can be taken back, and %d by another merchant", n, others)
	}
	if takeBack(uuid.New(), refunds[0].ID) {
		t.Error("another merchant took it back")
	}
	if !takeBack(b.who.MerchantID, refunds[0].ID) {
		t.Error("a refund that waits was not given back")
	}
	b.at(monday.At(11, 30))
	b.work()
	if n := b.number(`SELECT count(*) FROM bank_items WHERE kind = 'refunds' AND state = 'sent'`); n != 1 {
		t.Errorf("%d refunds left", n)
	}
	if takeBack(b.who.MerchantID, refunds[1].ID) {
		t.Error("a refund that has left was given back")
	}
	if n := held(b.who.MerchantID); n != 0 {
		t.Errorf("%d refunds are said to be given back", n)
	}
}
