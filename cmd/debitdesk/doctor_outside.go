package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"debitdesk/models/bank/files"
	"debitdesk/models/database/postgres"
	"debitdesk/models/keyfile"
	"debitdesk/models/mail/smtp"
	"debitdesk/models/plural"
	"debitdesk/models/secretfile"
)

// settings were read already: what is wrong with one of them is told before any command runs.
func (e *examination) settings() {
	mode := "sandbox mode: test merchants and test money only"
	if !e.c.Sandbox() {
		mode = "live mode"
	}
	e.say(fine, "configuration", "", "%s", mode)
	switch {
	case e.c.BaseURL == "" && e.c.ACMEDomains == "":
		e.say(warning, "base URL", "set DEBITDESK_BASE_URL to the public address",
			"links in mails begin with the listen address, %s", e.c.PublicURL(e.c.Listen))
	case strings.HasPrefix(e.c.BaseURL, "http://"):
		e.say(warning, "base URL", "put TLS in front of it and set DEBITDESK_BASE_URL to the https:// address",
			"%s is not encrypted; live mode refuses it", e.c.BaseURL)
	default:
		e.say(fine, "base URL", "", "%s", e.c.PublicURL(e.c.Listen))
	}
}

// Free space below which writes are at risk, in bytes.
const (
	littleSpace = 1 << 30
	noSpace     = 100 << 20
)

func (e *examination) folder() {
	if err := writable(e.c.Data); err != nil {
		e.say(bad, "data folder", "make it writable for this user, or name another in DEBITDESK_DATA", "%s: %v", e.c.Data,
			err)
		return
	}
	var st syscall.Statfs_t
	if err := syscall.Statfs(e.c.Data, &st); err != nil {
		e.say(warning, "data folder", "", "%s is writable; its free space is not known: %v", e.c.Data, err)
		return
	}
	free := st.Bavail * uint64(st.Bsize) //nolint:gosec // sizes are positive
	state, fix := fine, ""
	switch {
	case free < noSpace:
		state, fix = bad, "make room: without space PostgreSQL stops writing and requests answer 503"
	case free < littleSpace:
		state, fix = warning, "make room before it runs out"
	}
	e.say(state, "data folder", fix, "%s is writable, %d MB free", e.c.Data, free>>20)
}

func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o711); err != nil { //nolint:gosec // the server's own account must pass through
		return err
	}
	f, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (e *examination) programs(ctx context.Context) {
	if e.c.Embedded() {
		bin, err := postgres.FindBinaries(ctx, e.c.Data)
		if err != nil {
			e.say(bad, "PostgreSQL", "install the package postgresql", "%v", err)
			return
		}
		e.say(fine, "PostgreSQL", "", "programs of version %d in %s", bin.Major, bin.Dir)
	}
}

func (e *examination) keyFile() {
	path := keyfile.Path(e.c.Keys, e.c.Data)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.c.Keys == "":
		e.say(fine, "key file", "", "%s does not exist yet and will be made", path)
		return
	case err != nil:
		e.say(bad, "key file", "restore it from its copy", "%v", err)
		return
	case !secretfile.Guarded(info):
		e.say(bad, "key file", "chmod 600 "+path, "%s can be read by others (mode %o)", path, info.Mode().Perm())
		return
	}
	set, err := keyfile.Load(path)
	if err != nil {
		e.say(bad, "key file", "restore it from its copy", "%v", err)
		return
	}
	e.say(fine, "key file", "", "%s, mode %o, %s, newest %s", path, info.Mode().Perm(),
		plural.Of(len(set.Sealing), "sealing key"), set.Sealing[0].ID)
}

func (e *examination) mail(ctx context.Context) {
	if e.c.SMTP == "" {
		state, fix := fine, ""
		if !e.c.Sandbox() {
			state, fix = bad, "name a relay in DEBITDESK_SMTP_URL"
		}
		e.say(state, "mail", fix, "no relay: mails stay in the outbox and are shown on the sandbox mail page")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	started := time.Now()
	relay, err := smtp.New(e.c.SMTP, e.c.PublicURL(e.c.Listen))
	if err == nil {
		err = relay.Greet(ctx)
	}
	if err != nil {
		e.say(bad, "mail", "check DEBITDESK_SMTP_URL and that the relay runs; mails wait in the outbox until then",
			"the relay does not answer: %v", plainNetwork(err))
		return
	}
	e.say(fine, "mail", "", "the relay answered in %d ms", time.Since(started).Milliseconds())
}

// plainNetwork leaves out addresses, which may hold a password.
func plainNetwork(err error) error {
	var network *net.OpError
	if errors.As(err, &network) {
		return fmt.Errorf("%s: %w", network.Op, network.Err)
	}
	return err
}

// bank looks at the exchange directory: it holds account numbers, and files that do not leave collect nothing.
func (e *examination) bank() {
	dir := e.c.bankDirectory()
	switch {
	case dir == "" && e.c.Sandbox():
		e.say(fine, "bank", "", "the sandbox bank")
		return
	case dir == "":
		e.say(bad, "bank", "name the folder of the exchange in DEBITDESK_BANK=files:DIR",
			"live mode does not run on the sandbox bank")
		return
	}
	if err := writable(dir); err != nil {
		e.say(bad, "bank", "make the folder writable for this user", "%v", err)
		return
	}
	states := map[files.Level]string{files.Fine: fine, files.Doubtful: warning, files.Bad: bad}
	for _, o := range files.Inspect(dir) {
		e.say(states[o.Level], "bank", o.Do, "%s", o.What)
	}
	profile, err := files.ReadProfile(dir)
	if err != nil {
		e.say(bad, "bank profile", "fix profile.json; debitdesk bank check "+dir+" says what is wrong", "%v", err)
		return
	}
	e.say(fine, "bank profile", "", "%s", profile.Name)
}
