package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"debitdesk/models/bank/courier"
)

type courierCmd struct {
	Sftp courierSFTPCmd `cmd:"" help:"Carry files by SFTP: those of the outbox to the bank's server, its answers to the inbox."`
}

// courierSFTPCmd has a flag for each setting of the courier but the passphrase, which a list of processes would show.
type courierSFTPCmd struct {
	Dir     string        `arg:"" optional:"" help:"The exchange folder; without it, the one in DEBITDESK_BANK."`
	Address string        `placeholder:"HOST:PORT" help:"The bank's server ($DEBITDESK_COURIER_ADDRESS)."`
	HostKey string        `placeholder:"KEY" help:"Its host key: a line of known_hosts, or SHA256:… ($DEBITDESK_COURIER_HOST_KEY)."`
	User    string        `help:"The user there ($DEBITDESK_COURIER_USER)."`
	Key     string        `placeholder:"FILE" help:"The file with the private key ($DEBITDESK_COURIER_KEY)."`
	Out     string        `placeholder:"FOLDER" help:"The server's folder for your files ($DEBITDESK_COURIER_OUT)."`
	In      string        `placeholder:"FOLDER" help:"The server's folder with its answers ($DEBITDESK_COURIER_IN)."`
	Every   time.Duration `placeholder:"1m" help:"How often it looks ($DEBITDESK_COURIER_EVERY)."`
	Remove  bool          `help:"Remove answers from the server once they are here ($DEBITDESK_COURIER_REMOVE)."`
	State   string        `placeholder:"FOLDER" help:"Where the courier keeps what it remembers; beside the exchange folder when left out."`
	Once    bool          `help:"Carry everything once, and end; exit code 1 when a person must look at something."`
}

// soonest is how often the courier may look at most.
const soonest = time.Second

func (s *courierSFTPCmd) run(ctx context.Context, c Config, io streams) (err error) {
	env, log := c.Courier, serverLog(c, io)
	dir := s.Dir
	if of, files := strings.CutPrefix(c.Bank, "files:"); dir == "" && files {
		dir = of
	}
	every := cmp.Or(s.Every, env.Every)
	if every < soonest {
		return usageError{fmt.Errorf("--every (DEBITDESK_COURIER_EVERY): %s is less than %s", every, soonest)}
	}
	carrier, err := courier.Open(courier.Settings{Dir: dir, State: s.State, Address: cmp.Or(s.Address, env.Address),
		HostKey: cmp.Or(s.HostKey, env.HostKey), User: cmp.Or(s.User, env.User), KeyFile: cmp.Or(s.Key, env.Key),
		Passphrase: env.Passphrase, Out: cmp.Or(s.Out, env.Out), In: cmp.Or(s.In, env.In), Remove: s.Remove || env.Remove,
		Log: func(line string) { log.InfoContext(ctx, line) }})
	if err != nil {
		return asUsage(err)
	}
	defer func() { err = errors.Join(err, carrier.Close()) }()
	if s.Once {
		return carryOnce(ctx, carrier, io)
	}
	if c.OpsListen != "" {
		var l net.ListenConfig
		ops, err := l.Listen(ctx, "tcp", c.OpsListen)
		if err != nil {
			return err
		}
		failed := make(chan error, 1)
		server := start(ops, nil, operations(courierMetrics(carrier)), log, failed)
		defer func() { _ = server.Close() }()
		log.InfoContext(ctx, "operations address", "url", "http://"+shown(ops.Addr()))
	}
	log.InfoContext(ctx, "carrying files", "folder", dir, "every", every)
	return asUsage(carrier.Run(ctx, every, time.After))
}

func carryOnce(ctx context.Context, carrier *courier.Courier, io streams) error {
	report, err := carrier.Round(ctx)
	_, _ = fmt.Fprintf(io.out, "delivered %d, fetched %d\n", report.Delivered, report.Fetched)
	if err != nil {
		return asUsage(err)
	}
	if len(report.Problems) > 0 {
		return errors.New(strings.Join(report.Problems, "\n"))
	}
	return nil
}

// asUsage names a wrong setting by its flag and its variable.
func asUsage(err error) error {
	all := []error{err}
	if several, is := err.(interface{ Unwrap() []error }); is { //nolint:errorlint // the joined errors themselves
		all = several.Unwrap()
	}
	var out []error
	for _, one := range all {
		var problem *courier.Problem
		if !errors.As(one, &problem) {
			return err
		}
		name := "DIR (DEBITDESK_BANK=files:DIR)"
		if problem.Setting != "dir" {
			name = fmt.Sprintf("--%s (DEBITDESK_COURIER_%s)", problem.Setting,
				strings.ToUpper(strings.ReplaceAll(problem.Setting, "-", "_")))
		}
		out = append(out, fmt.Errorf("%s: %s", name, problem.What))
	}
	return usageError{errors.Join(out...)}
}

// courierMetrics are for alarms: a courier that carries nothing looks like a bank that says nothing.
func courierMetrics(carrier *courier.Courier) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "debitdesk_courier_minutes_since_success",
			Help: "Minutes since the courier last carried everything both ways, or since it started."},
			func() float64 { return carrier.SinceSuccess().Minutes() }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "debitdesk_courier_problems",
			Help: "Files that the courier leaves where they are until a person has looked at them."},
			func() float64 { return float64(carrier.Problems()) }))
	return r
}
