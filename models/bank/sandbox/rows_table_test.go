package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/storetest"
)

var suffixes = []string{
	"0000", "7001", "7002", "7003", "7004", "7005", "7006", "8001", "8002", "8003", "8120", "8480", "8500", "8600", "8700",
	"9002", "9003",
	"9004", "9005", "9006", "9008", "9010", "9012", "9016", "9018", "9022", "9026", "9030", "9032", "9034", "9036", "9056",
	"9102", "9202",
	"9302", "9430", "9500", "9900", "9901",
}

// The scripts themselves are tested beside them: here, that the ledger in PostgreSQL loses nothing of them.
func TestTheLedgerPlaysTheWholeSuffixTable(t *testing.T) {
	ctx, tt, cal := context.Background(), collection.DefaultTimetable(), calendar.New()
	action := calendar.On(2026, time.December, 14)
	asked := action.AddDays(-4).At(10, 0)
	now := asked
	b := sandbox.New(sandbox.Store{DB: storetest.Open(t).DB}, func() time.Time { return now }, tt, cal)
	merchant := uuid.New()
	want := map[uuid.UUID][]string{}
	line := func(at time.Time, kind bank.MessageKind, code, channel, reference string) string {
		return fmt.Sprint(at.UTC().Format(time.RFC3339), " ", kind, " ", code, " ", channel, " ", reference)
	}
	expect := func(id uuid.UUID, entries []sandbox.Entry) {
		want[id] = []string{}
		for _, e := range entries {
			want[id] = append(want[id], line(e.DueAt, e.Kind, e.Code, e.Channel, e.Reference))
		}
	}
	for _, suffix := range suffixes {
		account := bank.AccountNumber("400000" + suffix)
		for previous, method := range []string{"REALTIME", "DELAYED", "FALLBACK"} {
			id, limit := uuid.New(), asked.Add(48*time.Hour)
			if _, err := b.RequestMandate(ctx, bank.MandateRequest{ID: id, MerchantID: merchant, Account: account,
				Authentication: method, AnswerBy: limit}); err != nil {
				t.Fatal(err)
			}
			expect(id, sandbox.MandateScript(sandbox.Order{ID: id, Account: account, Method: method, AnswerBy: limit}, previous,
				asked, tt.ReturnsAt))
		}
		for previous, disputable := range []bool{false, true} {
			in := bank.Instruction{ID: uuid.New(), MerchantID: merchant, Method: bank.DebiCheck, Account: account,
				ActionDate: action, TrackingDays: 10, Disputable: disputable}
			if _, err := b.Submit(ctx, []bank.Instruction{in}); err != nil {
				t.Fatal(err)
			}
			expect(in.ID, sandbox.Script(in, previous, tt, cal))
		}
	}
	now = action.AddDays(100).At(12, 0)
	messages, err := b.Fetch(ctx, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	got := map[uuid.UUID][]string{}
	for _, m := range messages {
		got[m.InstructionID] = append(got[m.InstructionID], line(m.At, m.Kind, m.Code, m.Channel, m.Reference))
	}
	for id, lines := range want {
		if !slices.Equal(got[id], lines) {
			t.Errorf("%q, want %q", got[id], lines)
		}
	}
}

func TestTheLedgerKeepsHowLongAPayerHasAndWhatMayBeDisputed(t *testing.T) {
	ctx := context.Background()
	action := calendar.On(2026, time.December, 14)
	now := action.AddDays(-4).At(10, 0)
	b := sandbox.New(sandbox.Store{DB: storetest.Open(t).DB}, func() time.Time { return now },
		collection.DefaultTimetable(),
		calendar.New())
	fetch := func() (out []string) {
		t.Helper()
		messages, err := b.Fetch(ctx, 100)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, m := range messages {
			out, ids = append(out, fmt.Sprint(m.Kind, " ", m.Code, " ", m.Channel)), append(ids, m.ID)
		}
		if err := b.Acknowledge(ctx, ids); err != nil {
			t.Fatal(err)
		}
		return out
	}
	ask := func(method string, limit time.Duration) uuid.UUID {
		t.Helper()
		id := uuid.New()
		if _, err := b.RequestMandate(ctx, bank.MandateRequest{ID: id, Account: "4000000000", Authentication: method,
			AnswerBy: now.Add(limit)}); err != nil {
			t.Fatal(err)
		}
		return id
	}
	force := func(id uuid.UUID, answer string, want error) {
		t.Helper()
		if err := b.ForceMandate(ctx, id, answer); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", answer, err, want)
		}
	}
	ignored, accepted := ask("REALTIME", 90*time.Second), ask("DELAYED", 48*time.Hour)
	force(ignored, sandbox.Ignore, nil)
	force(accepted, sandbox.Accept, nil)
	force(accepted, sandbox.Reject, bank.ErrTooLate)
	if got := fetch(); !slices.Contains(got, "mandate_accepted  ussd") || len(got) != 3 {
		t.Errorf("at once: %q", got)
	}
	now = now.Add(90*time.Second - time.Microsecond)
	if got := fetch(); len(got) != 0 {
		t.Errorf("before the limit: %q", got)
	}
	now = now.Add(time.Microsecond)
	force(ignored, sandbox.Accept, bank.ErrTooLate)
	if got := fetch(); !slices.Equal(got, []string{"mandate_unanswered NOAS "}) {
		t.Errorf("at the limit: %q", got)
	}
	in := bank.Instruction{ID: uuid.New(), Method: bank.DebiCheck, Account: "4000000000", ActionDate: action}
	open := in
	open.ID, open.Disputable = uuid.New(), true
	if _, err := b.Submit(ctx, []bank.Instruction{in, open}); err != nil {
		t.Fatal(err)
	}
	if err := b.Force(ctx, in.ID, sandbox.Outcome{Dispute: "34"}); !errors.Is(err, bank.ErrNotDisputable) {
		t.Errorf("as authenticated: %v", err)
	}
	if err := b.Force(ctx, open.ID, sandbox.Outcome{Dispute: "34"}); err != nil {
		t.Errorf("outside of it: %v", err)
	}
	if got := fetch(); !slices.Equal(got, []string{"successful 00 ", "disputed 34 "}) {
		t.Errorf("disputed: %q", got)
	}
}
