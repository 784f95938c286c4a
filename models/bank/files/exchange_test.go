package files_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/bank/banktest"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/bank/simbank"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// town is an exchange and a simulated bank on the two sides of one directory, with one clock.
type town struct {
	t     testing.TB
	store *database.DB
	bank  *simbank.Bank
	dir   string
	*exchange.Service
}

func newTown(t testing.TB, start time.Time, change func(*files.Profile, *simbank.Settings)) *town {
	t.Helper()
	keys, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	s, err := database.Open(
		t.Context(),
		storetest.DSN(t),
		database.Options{Seal: keys, Sandbox: true, Machine: storetest.StandingClock(),
			MaxConns: 10, Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }},
	)
	must(t, err)
	t.Cleanup(s.Close)
	storetest.StartAt(t, s.Clock, start)
	dir := filepath.Join(t.TempDir(), "bank")
	_, err = files.InitProfile(dir, "simulator")
	must(t, err)
	profile, err := files.ReadProfile(dir)
	must(t, err)
	settings := simbank.Settings{Dir: dir, Now: s.Now, Hasty: true}
	if change != nil {
		change(&profile, &settings)
	}
	box, err := files.OpenBox(dir, files.Settings{MaxBytes: profile.MaxFileBytes, Now: s.Now})
	must(t, err)
	t.Cleanup(func() { _ = box.Close() })
	b, err := simbank.Open(settings)
	must(t, err)
	t.Cleanup(func() { _ = b.Close() })
	return &town{t, s, b, dir, &exchange.Service{Store: exchange.Store{DB: s}, Rules: profile.Rules(),
		Encoder: profile.Encoder(), Decoder: files.Decoder{}, Box: box, Calendar: calendar.New(), Now: s.Now}}
}

// moveTo moves the clock hour by hour, and lets both sides do what is due.
func (w *town) moveTo(at time.Time) {
	w.t.Helper()
	for now := w.store.Now(); now.Before(at); now = w.store.Now() {
		next := now.Truncate(time.Hour).Add(time.Hour)
		if next.After(at) {
			next = at
		}
		must(w.t, w.store.Clock.MoveTo(w.t.Context(), next))
		w.settle()
	}
}

// settle lets both sides work until neither has anything to do.
func (w *town) settle() {
	w.t.Helper()
	for {
		moved, err := w.Run(w.t.Context())
		must(w.t, err)
		report, err := w.bank.Round(w.t.Context())
		must(w.t, err)
		if moved == 0 && report == (simbank.Report{}) {
			return
		}
	}
}

func TestTheFileBankPlaysTheScriptOfEveryGateway(t *testing.T) {
	for name, change := range map[string]func(*files.Profile, *simbank.Settings){
		"as the simulated bank's profile says": nil,
		"in the newest forms, with reversals": func(p *files.Profile, _ *simbank.Settings) {
			p.DebitMessage, p.CreditMessage, p.MandateMessages, p.RecallMessage = "pain.008.001.11", "pain.001.001.12",
				"pain.009.001.08", "pain.007.001.10"
		},
	} {
		t.Run(name, func(t *testing.T) {
			action := calendar.On(2026, time.December, 1)
			banktest.Exercise(t, func(t *testing.T) banktest.Bench {
				w := newTown(t, action.AddDays(-11).At(9, 0), change)
				return banktest.Bench{Gateway: w, Verifier: bank.NoVerifier{}, MerchantID: uuid.New(), ActionDate: action,
					MoveTo: w.moveTo, Branch: "632005", Pays: "4000000000", Returns: "4000009002", Disputes: "4000009030",
					Declines: "4000008002", Ignores: "4000008480", Quiet: true}
			})
		})
	}
}
