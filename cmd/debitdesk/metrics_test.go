package main

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"debitdesk/models/upkeep"
)

// pulse is a database that counts how often it is asked.
type pulse struct {
	asked, counted int
	err            error
}

func (p *pulse) Vitals(context.Context) (upkeep.Vitals, error) {
	p.asked++
	return upkeep.Vitals{QueueLag: 90 * time.Second, OutboxAge: time.Minute, Unlinked: 3}, p.err
}

func (p *pulse) RecentCollections(context.Context) (map[string]int64, error) {
	p.counted++
	return map[string]int64{"unpaid": 2, "final": 5, "provisional": 1, "disputed": 1, "dispute_lost": 1, "scheduled": 40},
		nil
}

func gathered(t *testing.T, r *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += "{" + l.GetValue() + "}"
			}
			out[name] = m.GetGauge().GetValue()
		}
	}
	return out
}

func TestMetricsOfTheBusinessAskTheDatabaseSeldomAndSayWhenItIsAway(t *testing.T) {
	t.Parallel()
	now, db := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), &pulse{}
	r := prometheus.NewRegistry()
	r.MustRegister(&business{read: db, now: func() time.Time { return now }, log: slog.New(slog.DiscardHandler)})
	got := gathered(t, r)
	for name, want := range map[string]float64{"debitdesk_queue_lag_seconds": 90, "debitdesk_outbox_age_seconds": 60,
		"debitdesk_audit_unlinked": 3,
		"debitdesk_unpaid_ratio":   0.2, "debitdesk_dispute_ratio": 0.2, "debitdesk_collections{scheduled}": 40,
		"debitdesk_collections{recalled}": 0, "debitdesk_database_up": 1} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	now = now.Add(vitalsEvery - 1)
	gathered(t, r)
	if db.asked != 1 {
		t.Errorf("asked %d times within five seconds", db.asked)
	}
	now = now.Add(1)
	gathered(t, r)
	if db.asked != 2 || db.counted != 1 {
		t.Errorf("asked %d times, collections counted %d times", db.asked, db.counted)
	}
	now, db.err = now.Add(vitalsEvery), errors.New("away")
	got = gathered(t, r)
	maps.DeleteFunc(got, func(name string, _ float64) bool {
		return strings.HasPrefix(name, "debitdesk_outbound_connections_total") // of the process, not of the database
	})
	if len(got) != 1 || got["debitdesk_database_up"] != 0 {
		t.Errorf("while the database is away: %v", got)
	}
}

func TestTheServerShowsMetricsOfTheBusinessWithoutNames(t *testing.T) {
	t.Parallel()
	env := demoOn(t, 8)
	p := serving(t, env)
	_, text := p.get(t, "/metrics", "")
	// Figures that took longer than a monitor may wait are left out, and asked for again a moment later. The line
	// itself is looked for: the help above it begins with a 1, too.
	for look, end := time.NewTicker(time.Second), time.After(patience); !strings.Contains(text,
		"\ndebitdesk_database_up 1\n"); _, text = p.get(t, "/metrics", "") {
		select {
		case <-look.C:
		case <-end:
			t.Fatalf("the figures never came: %s", text)
		}
	}
	for _, name := range []string{"queue_lag_seconds", "outbox_age_seconds", "webhook_age_seconds",
		"mandate_timeouts_total", "unpaid_ratio", "dispute_ratio",
		`collections{state="final"}`, "audit_unlinked", "database_up"} {
		if !regexp.MustCompile(`(?m)^debitdesk_` + regexp.QuoteMeta(name) + ` [0-9.e+-]+$`).MatchString(text) {
			t.Errorf("no debitdesk_%s", name)
		}
	}
	if strings.Contains(strings.ToLower(text), "kloof") {
		t.Error("a merchant is named")
	}
}
