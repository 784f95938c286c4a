package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
)

func debicheck(account bank.AccountNumber, previous, tracking int, disputable bool) (out []string) {
	in := bank.Instruction{Method: bank.DebiCheck, ActionDate: action, Account: account, TrackingDays: tracking,
		Disputable: disputable}
	for i, e := range sandbox.Script(in, previous, tt, cal) {
		if e.Seq != i+1 {
			out = append(out, "numbered wrongly")
		}
		out = append(out, fmt.Sprintf("%s %s %s", e.DueAt.In(calendar.SAST).Format("2006-01-02 15:04"), e.Kind, e.Code))
	}
	return out
}

const (
	collected = "2026-12-14 06:00 successful 00"
	failed    = "2026-12-14 06:00 unpaid "
	tracking  = "2026-12-14 06:00 in_tracking 02"
)

// The whole suffix table for debits under a mandate, by the first and by the second collection from the account; the
// payer's bank tracks for ten days and hears disputes.
func TestTheSuffixTableUnderAMandate(t *testing.T) {
	type row struct{ first, second []string }
	both := func(l ...string) row { return row{l, l} }
	table := map[string]row{
		"9102": {[]string{failed + "02"}, []string{collected}},
		"9202": both(tracking, "2026-12-17 06:00 successful 00"),
		"9302": both(tracking, "2026-12-24 06:00 unpaid 02"),
		"9430": both(collected, "2027-01-24 06:00 disputed 30"),
		"9630": both(collected, "2027-02-13 06:00 dispute_rejected 30"),
		"9900": both(collected, collected),
		"9901": both(),
		"7001": both(failed + "26"),
		"7002": both(failed + "12"),
		"7004": both(failed + "03"),
		"8600": both(failed + "04"), // the payer has cancelled the mandate
		"8700": both(failed + "02"),
		"9002": both(failed + "02"),
	}
	for _, suffix := range []string{"0000", "1234", "7003", "7005", "7006", "8001", "8002", "8003", "8120", "8480", "8500",
		"9500"} {
		table[suffix] = both(collected)
	}
	for _, code := range []string{"03", "04", "05", "06", "08", "10", "12", "16", "18", "22", "26", "56"} {
		table["90"+code] = both(failed + code)
	}
	for _, code := range []string{"30", "32", "34", "36"} {
		table["90"+code] = both(collected, "2026-12-24 06:00 disputed "+code)
	}
	for suffix, want := range table {
		for _, carrier := range []bank.AccountNumber{"400000", "6200000"} {
			account := carrier + bank.AccountNumber(suffix)
			if got := debicheck(account, 0, 10, true); !slices.Equal(got, want.first) {
				t.Errorf("%s first: %v, want %v", suffix, got, want.first)
			}
			if got := debicheck(account, 1, 10, true); !slices.Equal(got, want.second) {
				t.Errorf("%s second: %v, want %v", suffix, got, want.second)
			}
		}
	}
	for account, want := range map[bank.AccountNumber][]string{
		bank.MockAccepted: {collected},
		bank.MockUnpaid:   {failed + "02"},
		bank.MockDispute:  {collected, "2026-12-24 06:00 disputed 30"},
	} {
		if got := debicheck(account, 1, 10, true); !slices.Equal(got, want) {
			t.Errorf("mock %s: %v, want %v", account.Reveal(), got, want)
		}
	}
}

func TestADebitAsAuthenticatedCannotBeDisputed(t *testing.T) {
	for suffix, want := range map[string][]string{
		"9030": {collected, "2026-12-24 06:00 dispute_rejected 30"},
		"9036": {collected, "2026-12-24 06:00 dispute_rejected 36"},
		"9430": {collected, "2027-01-24 06:00 dispute_rejected 30"},
	} {
		if got := debicheck(bank.AccountNumber("400000"+suffix), 0, 10, false); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", suffix, got, want)
		}
	}
}

func TestTrackingLastsAsLongAsItWasAskedFor(t *testing.T) {
	for _, c := range []struct {
		suffix string
		days   int
		want   []string
	}{
		{"9202", 0, []string{failed + "02"}},
		{"9202", 2, []string{tracking, "2026-12-16 06:00 unpaid 02"}},
		{"9202", 3, []string{tracking, "2026-12-17 06:00 successful 00"}},
		{"9302", 0, []string{failed + "02"}},
		{"9302", 1, []string{tracking, "2026-12-15 06:00 unpaid 02"}},
		{"9302", 11, []string{tracking, "2026-12-24 06:00 unpaid 02"}},
		{"9002", 10, []string{failed + "02"}},
		{"0000", 10, []string{collected}},
	} {
		if got := debicheck(bank.AccountNumber("400000"+c.suffix), 0, c.days, false); !slices.Equal(got, c.want) {
			t.Errorf("%s with %d days: %v, want %v", c.suffix, c.days, got, c.want)
		}
	}
}

// asked is when the payers of the mandate table are asked: a Monday, 10:00 SAST.
var asked = calendar.On(2026, time.November, 16).At(10, 0)

func (d *desk) ask(account bank.AccountNumber, method string) uuid.UUID {
	d.t.Helper()
	id := uuid.New()
	if _, err := d.bank.RequestMandate(context.Background(),
		bank.MandateRequest{ID: id, Account: account, Authentication: method, AnswerBy: d.limit(method)}); err != nil {
		d.t.Fatal(err)
	}
	return id
}

func (d *desk) limit(method string) time.Time {
	if method == "REALTIME" {
		return d.now.Add(120 * time.Second)
	}
	return d.now.Add(48 * time.Hour)
}

// lives moves from answer to answer until nothing is left, and gives each with the time since the request.
func (d *desk) lives(id uuid.UUID, since time.Time) (out []string) {
	d.t.Helper()
	for _, after := range []time.Duration{0, time.Second, 5 * time.Second, 119 * time.Second,
		120*time.Second - time.Microsecond, 120 * time.Second,
		time.Hour, 20 * time.Hour, 47 * time.Hour, 48*time.Hour - time.Microsecond, 48 * time.Hour, 100 * time.Hour,
		9000 * time.Hour} {
		d.now = since.Add(after)
		messages, err := d.bank.Fetch(context.Background(), 100)
		if err != nil {
			d.t.Fatal(err)
		}
		var ids []string
		for _, m := range messages {
			if ids = append(ids, m.ID); m.InstructionID == id {
				out = append(out, strings.Join(strings.Fields(fmt.Sprint(m.At.Sub(since), " ",
					strings.TrimPrefix(string(m.Kind), "mandate_"), " ", m.Code, " ", m.Channel)), " "))
			}
		}
		if err := d.bank.Acknowledge(context.Background(), ids); err != nil {
			d.t.Fatal(err)
		}
	}
	return out
}

// The whole suffix table for mandates, for each way of asking, by the first and the second request of the account.
func TestTheSuffixTableOfMandates(t *testing.T) {
	const delivered = "1s delivered"
	fast, slow := []string{delivered, "5s accepted banking_app"}, []string{delivered, "1h0m0s accepted sms_link"}
	type row struct{ realTime, delayed, fallback []string }
	as := func(realTime, later []string) row { return row{realTime, later, later} }
	first := map[string]row{
		"8001": as([]string{delivered, "1m59s accepted banking_app"}, slow),
		"8002": as([]string{delivered, "5s rejected MS02"}, []string{delivered, "1h0m0s rejected MS02"}),
		"8003": as([]string{"5s rejected AC04"}, []string{"5s rejected AC04"}),
		"8120": as([]string{delivered, "2m0s unanswered NOAS"}, []string{delivered, "47h0m0s accepted sms_link"}),
		"8480": as([]string{delivered, "2m0s unanswered NOAS"}, []string{delivered, "48h0m0s unanswered NOAS"}),
		"8500": as([]string{"5s failed EERR"}, []string{"5s failed EERR"}),
		"8600": as([]string{delivered, "5s accepted banking_app", "20h0m0s suspended CTCA"},
			[]string{delivered, "1h0m0s accepted sms_link", "20h0m0s suspended CTCA"}),
	}
	for _, suffix := range []string{"0000", "1234", "7001", "7003", "7005", "7006", "8700", "9002", "9030", "9102", "9202",
		"9302", "9430", "9500", "9900", "9901", "9056"} {
		first[suffix] = as(fast, slow)
	}
	for suffix, want := range first {
		second := want
		if suffix == "8500" {
			second = as(fast, slow)
		}
		for method, pick := range map[string]func(row) []string{
			"REALTIME": func(r row) []string { return r.realTime },
			"DELAYED":  func(r row) []string { return r.delayed },
			"FALLBACK": func(r row) []string { return r.fallback },
		} {
			d := open(t)
			d.now = asked
			account := bank.AccountNumber("400000" + suffix)
			if got := d.lives(d.ask(account, method), asked); !slices.Equal(got, pick(want)) {
				t.Errorf("%s %s: %q, want %q", suffix, method, got, pick(want))
			}
			d = open(t)
			d.now = asked
			d.ask(account, method)
			if got := d.lives(d.ask(account, method), asked); !slices.Equal(got, pick(second)) {
				t.Errorf("%s %s for the second time: %q, want %q", suffix, method, got, pick(second))
			}
		}
	}
	for _, account := range []bank.AccountNumber{bank.MockAccepted, bank.MockUnpaid, bank.MockDispute} {
		d := open(t)
		d.now = asked
		if got := d.lives(d.ask(account, "REALTIME"), asked); !slices.Equal(got, fast) {
			t.Errorf("mock %s: %q", account.Reveal(), got)
		}
	}
}

func TestAFallbackFollowsItsUnansweredRequestAsADifferentOne(t *testing.T) {
	d := open(t)
	d.now = asked
	d.ask("4000008120", "REALTIME")
	d.now = asked.Add(120 * time.Second)
	d.expect("real time", "mandate_delivered ", "mandate_unanswered NOAS")
	d.ask("4000008120", "FALLBACK")
	d.now = d.now.Add(47 * time.Hour)
	d.expect("the fallback", "mandate_delivered ", "mandate_accepted ")
}

func TestCollectionsDoNotCountAsRequestsOfAMandate(t *testing.T) {
	d := open(t)
	d.submit("4000008500")
	d.ask("4000008500", "REALTIME")
	d.now = d.now.Add(5 * time.Second)
	d.expect("the first request", "mandate_failed EERR")
}

func TestAnAcceptanceCarriesTheBanksReferenceAlwaysTheSame(t *testing.T) {
	o := sandbox.Order{ID: uuid.MustParse("0193a1b2-0000-7000-8000-000000000001"), Method: "REALTIME",
		Account: "4000000000", AnswerBy: asked.Add(time.Minute)}
	one, two := sandbox.MandateScript(o, 0, asked, tt.ReturnsAt), sandbox.MandateScript(o, 3, asked, tt.ReturnsAt)
	if ref := one[1].Reference; len(ref) != 23 || !strings.HasPrefix(ref, "SBX") || ref != two[1].Reference {
		t.Errorf("%q and %q", ref, two[1].Reference)
	}
	o.ID = uuid.MustParse("0193a1b2-0000-7000-8000-000000000002")
	if other := sandbox.MandateScript(o, 0, asked, tt.ReturnsAt); other[1].Reference == one[1].Reference {
		t.Errorf("two mandates share %q", other[1].Reference)
	}
}

func TestNobodyAcceptsWhenTheTimeHasEnded(t *testing.T) {
	for limit, want := range map[time.Duration]bank.MessageKind{
		5 * time.Second:                    bank.MandateUnanswered,
		5*time.Second + time.Microsecond:   bank.MandateAccepted,
		-time.Minute:                       bank.MandateUnanswered,
		120*time.Second - time.Microsecond: bank.MandateAccepted,
	} {
		o := sandbox.Order{Method: "REALTIME", Account: "4000000000", AnswerBy: asked.Add(limit)}
		if entries := sandbox.MandateScript(o, 0, asked, tt.ReturnsAt); entries[1].Kind != want {
			t.Errorf("within %s: %+v", limit, entries)
		}
	}
}

func TestAPersonAnswersOnThePhone(t *testing.T) {
	for _, c := range []struct {
		account        bank.AccountNumber
		method, answer string
		want           []string
	}{
		{"4000000000", "REALTIME", "accept", []string{"3s delivered", "3s accepted banking_app"}},
		{"4000008480", "REALTIME", "accept", []string{"3s delivered", "3s accepted banking_app"}},
		{"4000008480", "DELAYED", "accept", []string{"3s delivered", "3s accepted ussd"}},
		{"4000008600", "REALTIME", "accept", []string{"3s delivered", "3s accepted banking_app", "20h0m0s suspended CTCA"}},
		{"4000000000", "REALTIME", "reject", []string{"3s delivered", "3s rejected MS02"}},
		{"4000008500", "REALTIME", "accept", []string{"3s delivered", "3s accepted banking_app"}},
		{"4000000000", "REALTIME", "ignore", []string{"3s delivered", "2m0s unanswered NOAS"}},
		{"4000008600", "REALTIME", "ignore", []string{"3s delivered", "2m0s unanswered NOAS"}},
		{"4000000000", "FALLBACK", "ignore", []string{"3s delivered", "48h0m0s unanswered NOAS"}},
	} {
		d := open(t)
		d.now = asked
		id := d.ask(c.account, c.method)
		d.now = asked.Add(3 * time.Second)
		if err := d.bank.ForceMandate(context.Background(), id, c.answer); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if got := d.lives(id, asked); !slices.Equal(got, c.want) {
			t.Errorf("%s %s %s: %q, want %q", c.account.Tail(), c.method, c.answer, got, c.want)
		}
	}
}

func TestTheFirstAnswerOfAPayerCounts(t *testing.T) {
	for name, before := range map[string]func(d *desk, id uuid.UUID){
		"a person accepted":    func(d *desk, id uuid.UUID) { d.answer(id, "accept") },
		"a person refused":     func(d *desk, id uuid.UUID) { d.answer(id, "reject") },
		"the account answered": func(d *desk, _ uuid.UUID) { d.now = asked.Add(5 * time.Second) },
		"the account's answer was fetched": func(d *desk, _ uuid.UUID) {
			d.now = asked.Add(5 * time.Second)
			d.take()
		},
		"the time ended": func(d *desk, id uuid.UUID) { d.answer(id, "ignore"); d.now = asked.Add(120 * time.Second) },
		"it was cancelled": func(d *desk, id uuid.UUID) {
			if err := d.bank.CancelMandate(context.Background(), id); err != nil {
				d.t.Fatal(err)
			}
		},
	} {
		d := open(t)
		d.now = asked
		id := d.ask("4000000000", "REALTIME")
		before(d, id)
		for _, answer := range []string{"accept", "reject", "ignore"} {
			if err := d.bank.ForceMandate(context.Background(), id, answer); !errors.Is(err, bank.ErrTooLate) {
				t.Errorf("%s, then %s: %v", name, answer, err)
			}
		}
	}
}

func (d *desk) answer(id uuid.UUID, answer string) {
	d.t.Helper()
	if err := d.bank.ForceMandate(context.Background(), id, answer); err != nil {
		d.t.Fatal(err)
	}
}

func TestWhoIgnoredMayStillAnswerInTime(t *testing.T) {
	d := open(t)
	d.now = asked
	id := d.ask("4000000000", "REALTIME")
	d.answer(id, "ignore")
	d.answer(id, "ignore")
	d.now = asked.Add(120*time.Second - time.Microsecond)
	d.answer(id, "accept")
	d.expect("answered in the last moment", "mandate_delivered ", "mandate_accepted ")
}

func TestThePhoneRefusesWhatTheBankDoesNotKnow(t *testing.T) {
	d := open(t)
	debit, request := d.submit("4000000000"), d.ask("4000000000", "REALTIME")
	for id, answer := range map[uuid.UUID]string{uuid.New(): "accept", debit: "accept"} {
		if err := d.bank.ForceMandate(context.Background(), id, answer); !errors.Is(err, bank.ErrUnknown) {
			t.Errorf("%v", err)
		}
	}
	for _, answer := range []string{"", "yes", "Accept"} {
		if err := d.bank.ForceMandate(context.Background(), request, answer); !errors.Is(err, sandbox.ErrAnswer) {
			t.Errorf("%q: %v", answer, err)
		}
	}
	if err := d.bank.Force(context.Background(), request, sandbox.Outcome{Code: "00"}); !errors.Is(err, bank.ErrUnknown) {
		t.Errorf("a request is no collection: %v", err)
	}
	if err := d.bank.Recall(context.Background(), request); !errors.Is(err, bank.ErrUnknown) {
		t.Errorf("a request cannot be recalled: %v", err)
	}
	if err := d.bank.CancelMandate(context.Background(), debit); !errors.Is(err, bank.ErrUnknown) {
		t.Errorf("a collection is no mandate: %v", err)
	}
}

func TestForcedDebitsUnderAMandate(t *testing.T) {
	for _, c := range []struct {
		name       string
		disputable bool
		paid       bool // answered before
		outcome    sandbox.Outcome
		err        error
		want       []string
	}{
		{"paid is final", false, false, sandbox.Outcome{Code: "00"}, nil, []string{"successful 00"}},
		{"unpaid", false, false, sandbox.Outcome{Code: "02"}, nil, []string{"unpaid 02"}},
		{"a stop before the money came", false, false, sandbox.Outcome{Code: "36"}, nil, []string{"unpaid 36"}},
		{"a dispute that is heard", true, true, sandbox.Outcome{Dispute: "34"}, nil, []string{"disputed 34"}},
		{"a dispute proves that it was paid", true, false, sandbox.Outcome{Dispute: "34"}, nil,
			[]string{"successful 00", "disputed 34"}},
		{"a dispute of what was authenticated", false, true, sandbox.Outcome{Dispute: "34"}, bank.ErrNotDisputable, nil},
		{"the same by its code", false, true, sandbox.Outcome{Code: "34"}, bank.ErrNotDisputable, nil},
		{"the same before the answer", false, false, sandbox.Outcome{Dispute: "34"}, bank.ErrNotDisputable,
			[]string{"successful 00"}},
	} {
		d := open(t)
		in := bank.Instruction{ID: uuid.New(), Method: bank.DebiCheck, Account: "4000000000", ActionDate: action,
			Disputable: c.disputable}
		if _, err := d.bank.Submit(context.Background(), []bank.Instruction{in}); err != nil {
			t.Fatal(err)
		}
		if c.paid {
			d.now = action.At(6, 0)
			d.expect(c.name, "successful 00")
		}
		if err := d.bank.Force(context.Background(), in.ID, c.outcome); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", c.name, err)
		}
		d.now = action.AddDays(90).At(12, 0)
		d.expect(c.name, c.want...)
	}
}
