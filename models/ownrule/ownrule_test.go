package ownrule_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/ownrule"
	"debitdesk/models/queue"
	"debitdesk/models/rulebook"
	"debitdesk/models/storetest"
)

var monday = calendar.On(2026, time.November, 23)

type house struct {
	*testing.T
	rules *ownrule.Service
	store *database.DB
	who   actor.Actor
}

func open(t *testing.T) *house {
	t.Helper()
	ctx := t.Context()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	s, err := database.Open(ctx, storetest.DSN(t), database.Options{Seal: box, Sandbox: true,
		Machine:  storetest.StandingClock(),
		MaxConns: 4, Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(t, err)
	t.Cleanup(s.Close)
	storetest.StartAt(t, s.Clock, monday.At(9, 0))
	h := &house{T: t, store: s,
		rules: &ownrule.Service{Store: ownrule.Store{DB: s}, Book: rulebook.Default()}}
	h.who = h.merchant("gym")
	return h
}

func (h *house) merchant(slug string) actor.Actor {
	h.Helper()
	id := h.store.NewID()
	_, err := h.store.Pool.Exec(h.Context(), `INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
		VALUES ($1, $2, $2, true, $3, $3)`, id, slug, h.store.Now())
	must(h.T, err)
	return actor.Actor{Kind: actor.User, Role: actor.Admin, MerchantID: id, Name: "Owner of " + slug}
}

func (h *house) set(key string, value int64, from calendar.Date) error {
	_, err := h.rules.Set(h.Context(), h.who, ownrule.Input{Key: key, Value: value, From: from})
	return err
}

// on is the value that counts for the merchant on a day.
func (h *house) on(key, stream string, day calendar.Date) int64 {
	h.Helper()
	own, err := h.rules.Store.OwnRules(h.Context(), h.who.MerchantID)
	must(h.T, err)
	return rulebook.Default().ForMerchant(h.who.MerchantID.String(), own).On(key, stream, day).Int()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAStricterValueHoldsFromItsDayUntilItIsReplacedOrEnded(t *testing.T) {
	h := open(t)
	const key = "dc.tracking_days"
	tracking := func(day calendar.Date) int64 { return h.on(key, rulebook.DebiCheck, day) }
	must(t, h.set(key, 5, monday.AddDays(1)))
	must(t, h.set(key, 3, monday.AddDays(10)))
	for _, c := range []struct {
		after int
		want  int64
	}{{0, 10}, {1, 5}, {9, 5}, {10, 3}, {400, 3}} {
		if got := tracking(monday.AddDays(c.after)); got != c.want {
			t.Errorf("%d days after: %d, want %d", c.after, got, c.want)
		}
	}
	must(t, h.set(key, 7, monday.AddDays(5))) // in the place of all that was chosen for later
	was, is, later := tracking(monday.AddDays(4)), tracking(monday.AddDays(5)), tracking(monday.AddDays(30))
	if was != 5 || is != 7 || later != 7 {
		t.Errorf("%d, then %d, and later %d", was, is, later)
	}
	if err := h.set(key, 7, monday.AddDays(5)); !fault.Is(err, fault.Invalid) {
		t.Errorf("the same again: %v", err)
	}
	all, err := h.rules.Store.Rules(t.Context(), h.who.MerchantID)
	must(t, err)
	for _, r := range all {
		if r.Value == 5 || r.Value == 7 {
			_, err := h.rules.End(t.Context(), h.who, r.ID)
			must(t, err)
		}
	}
	if got := tracking(monday.AddDays(1)); got != 10 { // it would have begun tomorrow
		t.Errorf("after the end: %d", got)
	}
	if _, err := h.rules.End(t.Context(), h.who, all[0].ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("ended twice: %v", err)
	}
	var entries int
	must(t, h.store.Pool.QueryRow(t.Context(),
		`SELECT count(*) FROM audit_entries WHERE action LIKE 'rule.%' AND actor_name = 'Owner of gym'`).Scan(&entries))
	if entries != 5 {
		t.Errorf("%d entries in the audit", entries)
	}
}

func TestOnlyStricterValuesAreTakenAndAllProblemsToldAtOnce(t *testing.T) {
	h := open(t)
	tomorrow := monday.AddDays(1)
	for _, c := range []struct {
		key   string
		value int64
		from  calendar.Date
		wrong string // fields
	}{
		{"dc.tracking_days", 10, tomorrow, "value"},
		{"dc.tracking_days", 11, tomorrow, "value"},
		{"dc.tracking_days", -1, tomorrow, "value"},
		{"dc.tracking_days", 0, tomorrow, ""},
		{"rm.tracking_days", 2, tomorrow, ""},
		{"ratio.unpaid", 1000, tomorrow, "value"},
		{"ratio.unpaid", 999, tomorrow, ""},
		{"ratio.dispute", 51, tomorrow, "value"},
		{"retention.mandate", 7, tomorrow, "value"},
		{"retention.mandate", 6, tomorrow, "value"},
		{"retention.mandate", 100, tomorrow, "value"},
		{"retention.mandate", 10, tomorrow, ""},
		{"retention.mandate", 6, monday, "from value"},
		{"retention.mandate", 12, monday, "from"},
		{"retention.mandate", 12, calendar.Date{}, "from"},
		{"retention.mandate", 12, monday.AddDays(9000), "from"},
		{"eft.presentments_per_cycle", 0, tomorrow, "key"},
		{"popia.answer_days", 20, tomorrow, "key"},
		{"vat.rate_bp", 1, tomorrow, "key"},
		{"", 1, tomorrow, "key"},
	} {
		err := h.set(c.key, c.value, c.from)
		var wrong []string
		if f, is := fault.From(err); is {
			for _, p := range f.Fields {
				wrong = append(wrong, p.Path)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(wrong, " "); got != c.wrong {
			t.Errorf("%s %d from %s: %q, want %q (%v)", c.key, c.value, c.from, got, c.wrong, err)
		}
	}
}

func TestOnlyAnAdminChoosesRulesAndOnlyOfTheirBusiness(t *testing.T) {
	h := open(t)
	must(t, h.set("ratio.unpaid", 500, monday.AddDays(1)))
	all, err := h.rules.Store.Rules(t.Context(), h.who.MerchantID)
	must(t, err)
	staff, stranger := h.who, h.merchant("school")
	staff.Role = actor.Staff
	_, err = h.rules.Set(t.Context(), staff, ownrule.Input{Key: "ratio.unpaid", Value: 400, From: monday.AddDays(1)})
	if !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff chooses: %v", err)
	}
	if _, err := h.rules.End(t.Context(), staff, all[0].ID); !fault.Is(err, fault.Forbidden) {
		t.Errorf("staff ends: %v", err)
	}
	if _, err := h.rules.End(t.Context(), stranger, all[0].ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger ends: %v", err)
	}
	h.who = stranger
	if got := h.on("ratio.unpaid", rulebook.AnyStream, monday.AddDays(2)); got != 1000 {
		t.Errorf("a stranger's limit is %d", got)
	}
}

func TestTheDatabaseKeepsTwoValuesOfOneRuleApart(t *testing.T) {
	h := open(t)
	must(t, h.set("ratio.unpaid", 500, monday.AddDays(1)))
	_, err := h.store.Pool.Exec(t.Context(), `INSERT INTO own_rules (id, merchant_id, key, value, from_day, created_at,
		created_by) VALUES ($1, $2, 'ratio.unpaid', 400, '2026-12-24', now(), 'x')`, h.store.NewID(), h.who.MerchantID)
	if err == nil || !strings.Contains(err.Error(), "own_rules_one_a_day") {
		t.Errorf("two values hold on one day: %v", err)
	}
}
