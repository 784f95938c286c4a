package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

func writeVersions(b *bytes.Buffer) error {
	fmt.Fprintf(b, "debitdesk %s\n%s %s/%s, %d processors\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU())
	for _, name := range []string{"/etc/os-release", "/proc/version"} {
		text, err := os.ReadFile(name) //nolint:gosec // two files of the system
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if name != "/etc/os-release" || strings.HasPrefix(line, "PRETTY_NAME=") {
				b.WriteString(strings.TrimSpace(line) + "\n")
			}
		}
	}
	return nil
}

// shownSettings are the variables whose values say nothing about people, and open nothing. Of every other one a bundle
// says only whether it is set.
var shownSettings = []string{"DEBITDESK_MODE", "DEBITDESK_LOG", "DEBITDESK_LOG_FORMAT", "DEBITDESK_RATE_LIMIT",
	"DEBITDESK_REQUEST_LOG", "DEBITDESK_KEEP_REQUESTS", "DEBITDESK_KEEP_AUDIT", "DEBITDESK_DRAIN",
	"DEBITDESK_COURIER_EVERY", "DEBITDESK_COURIER_REMOVE", "DEBITDESK_LISTEN", "DEBITDESK_OPS_LISTEN",
	"DEBITDESK_PROXIES"}

func writeSettings(b *bytes.Buffer, c Config) error {
	for _, v := range variablesOf(reflect.TypeFor[Config](), "") {
		value := settingOf(reflect.ValueOf(c), v)
		switch {
		case !value.IsZero() && !slices.Contains(shownSettings, v.name):
			fmt.Fprintf(b, "%s is set\n", v.name)
		case value.IsZero() && value.Kind() == reflect.String:
			fmt.Fprintf(b, "%s is not set\n", v.name)
		case slices.Contains(shownSettings, v.name):
			fmt.Fprintf(b, "%s = %v\n", v.name, value.Interface())
		}
	}
	return nil
}

// settingOf is the value that a variable has.
func settingOf(c reflect.Value, v variable) reflect.Value {
	if rest, is := strings.CutPrefix(v.name, "DEBITDESK_COURIER_"); is && v.field.Tag.Get("env") == rest {
		c = c.FieldByName("Courier")
	}
	return c.FieldByName(v.field.Name)
}

// writePlain writes the findings: the state and the name of each as they are, the words without what is not ours.
func (e *examination) writePlain(b *bytes.Buffer) error {
	for _, f := range e.findings {
		fmt.Fprintf(b, "%-4s  %-14s  %s\n", f.State, f.Name, plainWords(f.What))
	}
	return nil
}

// writeDatabase writes the version and the settings of the server, the sizes of tables, and the queue.
func (a *App) writeDatabase(ctx context.Context, b *bytes.Buffer) error {
	for _, q := range []struct{ title, ask string }{
		{"server", `SELECT name, setting || coalesce(' ' || unit, '') FROM pg_settings WHERE name IN ('server_version',
			'max_connections', 'shared_buffers', 'work_mem', 'wal_level', 'synchronous_commit', 'fsync', 'jit',
			'default_transaction_read_only', 'TimeZone', 'server_encoding') ORDER BY name`},
		{"tables: rows, as PostgreSQL estimates them, and bytes", `SELECT relname::text,
			greatest(reltuples, 0)::bigint || ' ' || pg_total_relation_size(oid) FROM pg_class
			WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace ORDER BY relname`},
		{"jobs: kind and state, and how many", `SELECT kind || ' ' || state::text, count(*)::text FROM river_job
			GROUP BY kind, state ORDER BY 1`},
	} {
		fmt.Fprintf(b, "# %s\n", q.title)
		rows, err := a.Store.Pool.Query(ctx, q.ask)
		if err != nil {
			return err
		}
		var name, value string
		for rows.Next() {
			if err := rows.Scan(&name, &value); err != nil {
				rows.Close()
				return err
			}
			fmt.Fprintf(b, "%s %s\n", name, value)
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

// writeMetrics writes what /metrics says of the business: it names no merchant.
func (a *App) writeMetrics(b *bytes.Buffer) error {
	families, err := a.metrics().Gather()
	for _, f := range families {
		for _, m := range f.GetMetric() {
			writeMetric(b, f.GetName(), m)
		}
	}
	return err
}

func writeMetric(b *bytes.Buffer, name string, m *dto.Metric) {
	var labels []string
	for _, l := range m.GetLabel() {
		labels = append(labels, l.GetName()+"="+l.GetValue())
	}
	value := m.GetGauge().GetValue() + m.GetCounter().GetValue() + m.GetUntyped().GetValue()
	fmt.Fprintf(b, "%s{%s} %g\n", name, strings.Join(labels, ","), value)
}
