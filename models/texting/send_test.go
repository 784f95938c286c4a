package texting_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/queue"
	"debitdesk/models/sms"
	"debitdesk/models/texting"
)

func TestAMessageIsSentOnceInPlainWriting(t *testing.T) {
	h := open(t)
	about := uuid.New()
	m, err := h.queue(about, "Kloof’s gym: R\u00a0100")
	h.must(err)
	_, err = h.queue(about, "the same cause again")
	h.must(err)
	if len(h.jobs) != 2 || h.jobs[0] != (queue.SendSMS{MessageID: m.ID}) {
		t.Errorf("jobs %v", h.jobs)
	}
	h.send(m)
	h.send(m)
	h.due()
	if len(h.provider.taken) != 1 || h.provider.taken[0].Text != "Kloof's gym: R 100" ||
		h.provider.taken[0].To != phone || h.provider.taken[0].ID != m.ID {
		t.Errorf("taken %+v", h.provider.taken)
	}
	got := h.state(m, sms.Sent)
	if got.ProviderID != "p-"+m.ID.String() || got.Parts != 1 || got.Encoding != sms.GSM7 ||
		got.Text != "Kloof's gym: R 100" {
		t.Errorf("kept %+v", got)
	}
	if n := h.count(`SELECT count(*) FROM sms_messages WHERE text_sealed::text LIKE
		'%' || encode('Kloof', 'hex') || '%'`); n != 0 {
		t.Error("the text is kept as it is")
	}
}

func TestTwoProcessesSendAMessageOnce(t *testing.T) {
	h := open(t)
	for range 20 {
		h.queued("Hello")
	}
	var both sync.WaitGroup
	for range 4 {
		both.Go(func() {
			if _, err := h.SendDue(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	h.due()
	seen := map[uuid.UUID]bool{}
	for _, m := range h.provider.taken {
		if seen[m.ID] {
			t.Errorf("%s was sent twice", m.ID)
		}
		seen[m.ID] = true
	}
	if len(seen) != 20 {
		t.Errorf("%d were sent", len(seen))
	}
}

func TestMessagesWaitForTheirHoursAndAreSkippedWhenTooLate(t *testing.T) {
	h := open(t)
	h.at(calendar.On(2031, time.March, 7).At(20, 30)) // a Friday
	m := h.queued("Hello")
	if want := calendar.On(2031, time.March, 8).At(9, 0); !m.NotBefore.Equal(want) {
		t.Errorf("its turn comes at %s; want %s", m.NotBefore, want)
	}
	if next, found, err := h.Service.Store.NextDue(t.Context()); err != nil || !found || !next.Equal(m.NotBefore) {
		t.Errorf("next due: %s, %t, %v", next, found, err)
	}
	h.due()
	h.state(m, sms.Queued)
	h.at(calendar.On(2031, time.March, 8).At(9, 0))
	h.due()
	h.state(m, sms.Sent)

	late := h.queued("Hello")
	h.exec(`UPDATE sms_messages SET expires_at = not_before + interval '1 hour' WHERE id = $1`, late.ID.String())
	h.at(calendar.On(2031, time.March, 8).At(14, 0)) // Saturday afternoon: the next hours begin on Monday
	h.due()
	if got := h.state(late, sms.Skipped); got.Why == "" {
		t.Error("no reason")
	}
	if len(h.provider.taken) != 1 {
		t.Errorf("%d were sent", len(h.provider.taken))
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'sms.skipped' AND client_id = $1`,
		h.client.String()); n != 1 || len(h.raised) != 0 { // the first message reached the client
		t.Errorf("%d entries, %d raised", n, len(h.raised))
	}
}

func TestTheLimitOfADayHolds(t *testing.T) {
	h := open(t)
	who := actor.Actor{Kind: actor.User, MerchantID: h.merchant, Role: actor.Admin, Name: "Nomsa"}
	_, err := h.Set(t.Context(), who, texting.SetInput{DailyParts: 3})
	h.must(err)
	long := h.queued(strings.Repeat("a", 200)) // two parts
	one := h.queued("one part")
	over := h.queued("too much")
	for _, m := range []sms.Message{long, one, over} {
		h.send(m)
	}
	h.state(long, sms.Sent)
	h.state(one, sms.Sent)
	got := h.state(over, sms.Queued)
	if want := calendar.On(2031, time.March, 4).At(8, 0); !got.NotBefore.Equal(want) || got.Tries != 0 {
		t.Errorf("it waits until %s after %d tries; want %s", got.NotBefore, got.Tries, want)
	}
	h.at(got.NotBefore)
	h.due()
	h.state(over, sms.Sent)
	if n, err := h.Service.Store.Used(t.Context(), h.merchant, calendar.On(2031, time.March, 3)); err != nil || n != 3 {
		t.Errorf("%d parts on the first day, %v", n, err)
	}
	_, err = h.Set(t.Context(), who, texting.SetInput{DailyParts: -1, Version: 1})
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("a limit below zero: %v", err)
	}
	if _, err = h.Set(t.Context(), who, texting.SetInput{DailyParts: 5}); !fault.Is(err, fault.Conflict) {
		t.Errorf("an old version: %v", err)
	}
}

func TestAProvidersAnswerDecides(t *testing.T) {
	h := open(t)
	refused := h.queued("refused")
	h.provider.fail = &sms.Refusal{Why: "no such number"}
	h.send(refused)
	if got := h.state(refused, sms.Failed); !strings.Contains(got.Why, "no such number") {
		t.Errorf("why: %q", got.Why)
	}
	if n, _ := h.Service.Store.Used(t.Context(), h.merchant, calendar.DateOf(h.Now())); n != 0 {
		t.Errorf("%d parts count of what was refused", n)
	}
	if len(h.raised) != 1 {
		t.Errorf("%d raised; nothing else reached the client", len(h.raised))
	}

	busy := h.queued("busy")
	h.provider.fail = &sms.Busy{After: 10 * time.Minute}
	if err := h.Send(t.Context(), busy.ID); err == nil {
		t.Error("no error of a busy provider")
	}
	got := h.state(busy, sms.Queued)
	if wait := got.NotBefore.Sub(busy.NotBefore); wait < 10*time.Minute || got.Tries != 1 {
		t.Errorf("it waits %s after %d tries", wait, got.Tries)
	}
	if n, _ := h.Service.Store.Used(t.Context(), h.merchant, calendar.DateOf(h.Now())); n != 0 {
		t.Errorf("%d parts count of what was not taken", n)
	}
	h.provider.fail = nil
	h.at(got.NotBefore)
	h.due()
	h.state(busy, sms.Sent)

	unknown := h.queued("unknown")
	h.provider.fail = &sms.Unknown{Err: errors.New("timeout")}
	h.send(unknown)
	if got := h.state(unknown, sms.Sent); got.Why != sms.Unsure {
		t.Errorf("why: %q", got.Why)
	}
	again := h.queued("handed over again")
	h.provider.repeats = time.Hour
	if err := h.Send(t.Context(), again.ID); err == nil {
		t.Error("no error of an unknown outcome")
	}
	h.state(again, sms.Queued)
}

// A process that is killed between handing a message over and the answer leaves it claimed and handed.
func TestWhatAKilledProcessHandedOverIsNotSentAgain(t *testing.T) {
	h := open(t)
	m, repeated := h.queued("killed"), h.queued("killed, and known by its id")
	killed := func(m sms.Message) {
		h.exec(`UPDATE sms_messages SET tries = 1, handed_at = now(), claimed_until = now() - interval '1 second'
			WHERE id = $1`, m.ID.String())
	}
	h.exec(`UPDATE sms_messages SET not_before = not_before + interval '1 day' WHERE id = $1`, repeated.ID.String())
	killed(m)
	h.due()
	if got := h.state(m, sms.Sent); got.Why != sms.Unsure || len(h.provider.taken) != 0 {
		t.Errorf("why %q, %d sent", got.Why, len(h.provider.taken))
	}
	h.report(sms.Report{ID: m.ID, State: sms.Delivered})
	h.state(m, sms.Delivered)

	h.exec(`UPDATE sms_messages SET not_before = created_at WHERE id = $1`, repeated.ID.String())
	h.provider.repeats = time.Hour
	killed(repeated)
	h.due()
	got := h.state(repeated, sms.Queued)
	h.at(got.NotBefore)
	h.due()
	h.state(repeated, sms.Sent)
	if len(h.provider.taken) != 1 || h.provider.taken[0].ID != repeated.ID {
		t.Errorf("taken %+v", h.provider.taken)
	}
}

func TestADamagedTextIsNotSent(t *testing.T) {
	h := open(t)
	m := h.queued("Hello")
	h.exec(`UPDATE sms_messages SET text_sealed = 'damaged' WHERE id = $1`, m.ID.String())
	h.due()
	if got := h.state(m, sms.Failed); got.Why != sms.Unread || len(h.provider.taken) != 0 {
		t.Errorf("why %q, %d sent", got.Why, len(h.provider.taken))
	}
}

func TestOnlyNumbersThatCanGetSMSAreTaken(t *testing.T) {
	h := open(t)
	for number, code := range map[string]string{"": "no_phone", "021 555 1234": "no_mobile",
		"+44 7700 900123": "no_mobile", "082 123 4567": ""} {
		err := h.May(t.Context(), h.merchant, number)
		if f, _ := fault.From(err); code == "" && err != nil || code != "" && (f == nil || f.Code != code) {
			t.Errorf("%q: %v; want %q", number, err, code)
		}
	}
	h.Gateway = nil
	if err := h.May(t.Context(), h.merchant, phone); !errors.Is(err, texting.ErrNotReady) {
		t.Errorf("without a provider: %v", err)
	}
}
