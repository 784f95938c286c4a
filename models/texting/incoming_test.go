package texting_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"debitdesk/models/fault"
	"debitdesk/models/sms"
)

func TestReportsMoveForwardOnlyWhateverTheirOrder(t *testing.T) {
	h := open(t)
	m := h.queued("Hello")
	h.send(m)
	h.report(sms.Report{ID: m.ID, State: sms.Delivered}, sms.Report{ID: m.ID, State: sms.Sent},
		sms.Report{ID: m.ID, State: sms.Failed, Why: "late"}, sms.Report{ID: m.ID, State: sms.Delivered})
	if got := h.state(m, sms.Delivered); got.Why != "" || got.DoneAt.IsZero() {
		t.Errorf("kept %+v", got)
	}
	failed := h.queued("Hello")
	h.send(failed)
	r := sms.Report{ProviderID: "p-" + failed.ID.String(), State: sms.Failed, Why: "The number does not exist."}
	h.report(r, r)
	h.report(r)
	h.state(failed, sms.Failed)
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'sms.failed'`); n != 1 {
		t.Errorf("%d entries of one failure", n)
	}
	h.report(sms.Report{ID: h.NewID(), State: sms.Failed}, sms.Report{ProviderID: "foreign", State: sms.Delivered},
		sms.Report{State: sms.Delivered})
	h.report()
}

func TestAReportMayComeBeforeTheAnswer(t *testing.T) {
	h := open(t)
	m := h.queued("Hello")
	h.provider.enter = func(out sms.Outgoing) { h.report(sms.Report{ID: out.ID, State: sms.Delivered}) }
	h.send(m)
	if got := h.state(m, sms.Delivered); got.ProviderID == "" {
		t.Error("the provider's id was lost")
	}
}

func TestStopBlocksTheNumberAndIsConfirmedOnce(t *testing.T) {
	h := open(t)
	m := h.queued("Hello")
	h.send(m)
	waits := h.queued("This one waits")
	h.answer("r1", "Stop please")
	h.answer("r1", "Stop please")
	h.answer("r2", "STOP")
	h.due()
	h.state(waits, sms.Skipped)
	var confirmed []string
	for _, out := range h.provider.taken {
		if strings.Contains(out.Text, sms.StopNoted) {
			confirmed = append(confirmed, out.Text)
		}
	}
	if !slices.Equal(confirmed, []string{"Kloof Street Gym: " + sms.StopNoted + " en"}) {
		t.Errorf("confirmed %q", confirmed)
	}
	if _, err := h.queue(h.NewID(), "After STOP"); !fault.Is(err, fault.Conflict) {
		t.Errorf("queued after STOP: %v", err)
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'sms.stopped' AND client_id = $1`,
		h.client.String()); n != 1 {
		t.Errorf("%d entries of one STOP", n)
	}
	if n := h.count(`SELECT count(*) FROM sms_replies`); n != 2 {
		t.Errorf("%d answers are kept", n)
	}
	came, err := h.Service.Store.RepliesOf(t.Context(), h.merchant, h.client, 10)
	if err != nil || len(came) != 2 || came[0].Text != "STOP" || came[0].Wish != sms.Stop {
		t.Errorf("answers %+v, %v", came, err)
	}
	h.answer("r3", "START")
	h.due()
	if _, err := h.queue(h.NewID(), "After START"); err != nil {
		t.Errorf("after START: %v", err)
	}
}

func TestAStopCountsForTheMerchantThatWroteLast(t *testing.T) {
	h := open(t)
	first := h.queued("Hello")
	h.send(first)
	other := h.NewID()
	h.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
		VALUES ($1, 'o', 'O', true, now(), now())`,
		other.String())
	mine := h.merchant
	h.merchant = other
	h.at(h.Now().Add(time.Minute))
	h.send(h.queued("Hello from another"))
	h.answer("r1", "stop")
	for merchant, want := range map[bool]bool{true: false, false: true} {
		id := other
		if merchant {
			id = mine
		}
		since, err := h.Service.Store.Blocked(t.Context(), id, phone)
		if err != nil || since.IsZero() == want {
			t.Errorf("first merchant: %t, blocked since %s, %v", merchant, since, err)
		}
	}
}

func TestAnswersOfStrangersAreLeftOut(t *testing.T) {
	h := open(t)
	h.answer("r1", "STOP")
	if n := h.count(`SELECT count(*) FROM sms_replies`) + h.count(`SELECT count(*) FROM sms_blocks`); n != 0 {
		t.Errorf("%d rows of a stranger", n)
	}
}
