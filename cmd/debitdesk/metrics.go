package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/outbound"
	"debitdesk/models/upkeep"
)

// How often the database is asked for metrics, however often they are collected, and
// how long it may take.
const (
	vitalsEvery = 5 * time.Second
	recentEvery = time.Minute
	vitalsTime  = 2 * time.Second
)

// business tells Prometheus how the work goes, for all merchants together: names of
// merchants are nobody's business who reads metrics.
type business struct {
	read interface {
		Vitals(ctx context.Context) (upkeep.Vitals, error)
		RecentCollections(ctx context.Context) (map[string]int64, error)
	}
	now     func() time.Time  // real time
	standby *database.Standby // nil: none is named
	log     *slog.Logger

	mu                 sync.Mutex
	vitals             upkeep.Vitals
	recent             map[string]int64
	vitalsAt, recent30 time.Time
	well               bool
}

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("debitdesk_"+name, help, labels, nil)
}

var (
	databaseUp = gauge("database_up", "1 if the database answered the last query for metrics.")
	queueLag   = gauge("queue_lag_seconds", "How long the oldest job that could run has been waiting.")
	outboxAge  = gauge("outbox_age_seconds", "Age of the oldest mail that has not left.")
	webhookAge = gauge("webhook_age_seconds", "Age of the oldest webhook delivery that no receiver accepted.")
	overdueAge = gauge("collections_overdue_seconds",
		"How long ago the oldest debit should have gone to the bank.")
	mandateTimeout = gauge("mandate_timeouts_total", "Clients who did not answer in time, in the last 24 hours.")
	unpaidRatio    = gauge("unpaid_ratio", "Failed debits as a share of those the bank answered, 30 days.")
	disputeRatio   = gauge("dispute_ratio", "Disputed debits as a share of those the bank answered, 30 days.")
	collections    = gauge("collections", "Debits of the last 30 days and ahead, by state.", "state")
	auditUnlinked  = gauge("audit_unlinked", "Audit entries that are not in their chain yet.")
	auditAlarms    = gauge("audit_alarms", "Audit chains that do not hold and were not accepted.")
	connections    = gauge("database_connections", "Connections of all clients to the database server.")
	connectionsMax = gauge("database_connections_max", "Connections that the database server allows.")
)

var (
	standbyUp    = gauge("standby_up", "1 if reports, exports and searches are read from the standby.")
	standbyLag   = gauge("standby_lag_seconds", "How far the standby is behind.")
	standbyReads = prometheus.NewDesc("debitdesk_standby_reads_total",
		"Reports, exports and searches by who answered them: the standby, or the primary in its place.", []string{"by"}, nil)
)

var outboundTotal = prometheus.NewDesc("debitdesk_outbound_connections_total",
	"Connections that this program opened to others, by what for, and whether they were reached.",
	[]string{"purpose", "outcome"}, nil)

// tellOutbound tells how often this process connected to others.
func tellOutbound(to chan<- prometheus.Metric) {
	for _, p := range outbound.Purposes() {
		n := outbound.TotalOf(p)
		for outcome, count := range map[string]int64{"opened": n.Opened, "failed": n.Failed} {
			to <- prometheus.MustNewConstMetric(outboundTotal, prometheus.CounterValue, float64(count), string(p), outcome)
		}
	}
}

// Describe implements prometheus.Collector.
func (b *business) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{databaseUp, queueLag, outboxAge, webhookAge, overdueAge, mandateTimeout,
		unpaidRatio, disputeRatio, collections,
		auditUnlinked, auditAlarms, connections, connectionsMax, standbyUp, standbyLag, standbyReads, outboundTotal} {
		to <- d
	}
}

// Collect implements prometheus.Collector. While the database is away it says just that.
func (b *business) Collect(to chan<- prometheus.Metric) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refresh()
	b.tellStandby(to)
	tellOutbound(to)
	tell := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	if !b.well {
		tell(databaseUp, 0)
		return
	}
	tell(databaseUp, 1)
	v := b.vitals
	tell(queueLag, v.QueueLag.Seconds())
	tell(outboxAge, v.OutboxAge.Seconds())
	tell(webhookAge, v.WebhookAge.Seconds())
	tell(overdueAge, v.OverdueAge.Seconds())
	tell(mandateTimeout, float64(v.MandateTimeouts))
	tell(auditUnlinked, float64(v.Unlinked))
	tell(auditAlarms, float64(v.AuditAlarms))
	tell(connections, float64(v.Connections))
	tell(connectionsMax, float64(v.MaxConnections))
	for _, s := range collection.States() {
		tell(collections, float64(b.recent[string(s)]), string(s))
	}
	unpaid, disputed := ratios(b.recent)
	tell(unpaidRatio, unpaid)
	tell(disputeRatio, disputed)
}

func (b *business) tellStandby(to chan<- prometheus.Metric) {
	if b.standby == nil {
		return
	}
	st, up := b.standby.State(), 0.0
	if st.Why == "" {
		up = 1
	}
	there, instead := b.standby.Reads()
	to <- prometheus.MustNewConstMetric(standbyUp, prometheus.GaugeValue, up)
	to <- prometheus.MustNewConstMetric(standbyLag, prometheus.GaugeValue, st.Lag.Seconds())
	to <- prometheus.MustNewConstMetric(standbyReads, prometheus.CounterValue, float64(there), "standby")
	to <- prometheus.MustNewConstMetric(standbyReads, prometheus.CounterValue, float64(instead), "primary")
}

func (b *business) refresh() {
	now := b.now()
	if now.Sub(b.vitalsAt) < vitalsEvery {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), vitalsTime)
	defer cancel()
	b.vitalsAt = now
	var err error
	if b.vitals, err = b.read.Vitals(ctx); err == nil && now.Sub(b.recent30) >= recentEvery {
		if b.recent, err = b.read.RecentCollections(ctx); err == nil {
			b.recent30 = now
		}
	}
	if b.well = err == nil; !b.well {
		b.log.Warn("no metrics of the business", "error", err)
	}
}

// ratios are shares of what the bank answered; 0 when it answered nothing. A disputed
// collection was collected before.
func ratios(n map[string]int64) (unpaid, disputed float64) {
	at := func(states ...collection.State) (sum int64) {
		for _, s := range states {
			sum += n[string(s)]
		}
		return sum
	}
	objected := at(collection.Disputed, collection.DisputeWon, collection.DisputeLost)
	answered := at(collection.Provisional, collection.Successful, collection.Final, collection.Unpaid) + objected
	if answered == 0 {
		return 0, 0
	}
	return float64(at(collection.Unpaid)) / float64(answered), float64(objected) / float64(answered)
}
