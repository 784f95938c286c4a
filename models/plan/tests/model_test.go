package tests

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/clientstop"
	"debitdesk/models/collection"
	"debitdesk/models/followup"
	"debitdesk/models/plan"
	"debitdesk/models/purchase"
	"debitdesk/models/simulation"
	"debitdesk/models/storetest/thorough"
	"debitdesk/models/token"
)

// cycles are the dates of the model: the days that a mandate for the 25th names, and the mornings of its phases.
var cycles = []struct{ on, plan, book, bank, back calendar.Date }{
	{nov(25), nov(20), nov(23), nov(24), nov(26)},
	{dec(24), dec(18), dec(22), dec(23), dec(28)},
	{jan(25), jan(18), jan(21), jan(22), jan(26)},
}

func jan(d int) calendar.Date { return calendar.On(2027, time.January, d) }

// traced is one trace of the model, with what it is about in the product.
type traced struct {
	name                       string
	steps                      []string
	at                         int // the next step
	client, token, of, promise uuid.UUID
}

// Whatever the model of the manual does, the product does the same: after each step of each trace the mandate, the
// debits, the purchase and the run of the plan stand as the model says, and staff are refused what it does not allow.
// All traces are played on one database, since time passes for all of them at once.
func TestTheProductDoesWhatTheModelDoes(t *testing.T) {
	h := open(t)
	h.plan(plan.Steps{plan.Money: {{Kind: plan.DebitAgain}, {Kind: plan.DebitAgain}, {Kind: plan.Task}},
		plan.Objection: {{Kind: plan.Task}}})
	all := readTraces(t)
	h.to(cycles[0].plan.At(9, 0))
	for _, tr := range all {
		tr.client, tr.token = h.stored()
		rec, err := h.use.Purchases.Create(ctx, h.who, purchase.Input{ClientID: tr.client, BrandID: h.brand,
			Currency: "ZAR", Details: one(10000), Options: purchase.Options{Whitelist: []string{"eft"}}})
		must(t, err)
		tr.of = rec.ID
	}
	played := 0
	for c := range cycles {
		for _, phase := range []string{"plan", "book", "bank", "back"} {
			if at := morning(c+1, phase); at.After(h.store.Now()) {
				h.to(at)
			}
			for _, tr := range all {
				played += h.play(tr, c+1, phase)
			}
		}
	}
	t.Logf("%d steps of %d traces", played, len(all))
}

// readTraces reads what .make/model/check.mjs wrote from the model .make/model/Collecting.tla.
func readTraces(t *testing.T) (all []*traced) {
	t.Helper()
	traces, err := os.ReadFile("testdata/collecting.txt")
	must(t, err)
	for text := range strings.SplitSeq(strings.TrimPrefix(string(traces), "trace "), "\ntrace ") {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if tr := (&traced{name: lines[0], steps: lines[1:]}); thorough.OneIn(oneTrace, tr.name) {
			all = append(all, tr)
		}
	}
	if len(all) < 5 {
		t.Fatalf("%d traces", len(all))
	}
	return all
}

// oneTrace is which share of the traces make test plays.
const oneTrace = 12

func morning(cycle int, phase string) time.Time {
	c := cycles[cycle-1]
	return map[string]calendar.Date{"plan": c.plan, "book": c.book, "bank": c.bank, "back": c.back}[phase].At(9, 0)
}

// play takes the steps of a trace that are of this phase.
func (h *house) play(tr *traced, cycle int, phase string) (n int) {
	h.t.Helper()
	for ; tr.at < len(tr.steps); tr.at++ {
		act, rest, _ := strings.Cut(tr.steps[tr.at], " -> ")
		want, no := rest[:strings.LastIndexByte(rest, ' ')], rest[strings.LastIndexByte(rest, ' ')+1:]
		if !strings.HasPrefix(want, fmt.Sprintf("%d %s ", cycle, phase)) {
			return n
		}
		if !strings.HasPrefix(act, "To") {
			if err := h.model(tr, act, cycle, phase); err != nil {
				h.t.Fatalf("trace %s, step %d, %s: refused: %v", tr.name, tr.at+1, act, err)
			}
		}
		h.same(tr, act, want, cycle, phase)
		if no != "-" {
			if h.model(tr, no, cycle, phase) == nil {
				h.t.Fatalf("trace %s, after step %d: %s is not refused\n%s", tr.name, tr.at+1, no,
					strings.Join(tr.steps[:tr.at+1], "\n"))
			}
			h.same(tr, no+" refused", want, cycle, phase)
		}
		n++
	}
	return n
}

func (h *house) same(tr *traced, act, want string, cycle int, phase string) {
	h.t.Helper()
	if is := h.stands(tr, cycle, phase); is != want {
		h.t.Fatalf("trace %s, step %d, %s:\n%s\nthe model: %s\nis:        %s", tr.name, tr.at+1, act,
			strings.Join(tr.steps[:tr.at+1], "\n"), want, is)
	}
}

// model does in the product what an action of the model means.
func (h *house) model(tr *traced, act string, cycle int, phase string) (err error) {
	early := phase == "plan" || phase == "book"
	switch act {
	case "Charge":
		on := cycle
		if !early {
			on++
		}
		_, err = h.use.Purchases.ChargeOn(ctx, h.who, tr.of, tr.token, cycles[on-1].on)
	case "Cancel":
		_, err = h.use.Purchases.Cancel(ctx, h.who, tr.of)
	case "MarkPaid":
		_, err = h.use.Purchases.MarkAsPaid(ctx, h.who, tr.of, nil)
	case "Promise":
		day := calendar.DateOf(h.store.Now())
		if early {
			day = cycles[cycle-1].bank
		}
		var p followup.Promise
		p, err = h.use.Followups.AddPromise(ctx, h.who, about(tr.of), followup.Promising{DueOn: day})
		if err == nil {
			tr.promise = p.ID
		}
	case "WithdrawPromise":
		_, err = h.use.Followups.SettlePromise(ctx, h.who, tr.promise, followup.Withdrawn)
	case "EndPlan":
		runs := h.runs(tr.of)
		if len(runs) == 0 {
			return errUndone // nothing to end
		}
		_, err = h.use.Plans.Do(ctx, h.who, tr.of, runs[0].ID, plan.EndRun, calendar.Date{})
	case "StopClient":
		_, err = h.use.Stops.StopClient(ctx, h.who, clientstop.StopInput{ClientID: tr.client, Reason: "They asked."})
	case "Delete":
		program := actor.Actor{Kind: actor.Credential, Name: "Program", MerchantID: h.who.MerchantID,
			Scopes: actor.AllScopes}
		err = h.use.Deletions.DeleteToken(ctx, program, tr.client, tr.token)
	default:
		said, known := map[string]simulation.BankAnswer{"BankPays": {Code: "00"}, "NoMoney": {Code: "02"},
			"StoppedAtBank": {Code: "04"}, "Disputes": {Dispute: "34"}}[act]
		if !known {
			h.t.Fatalf("the model does %q", act)
		}
		_, err = h.use.Controls.Force(ctx, h.who, tr.of, said)
	}
	if err == nil { // what is due by now is done, as the jobs do
		_, err = h.use.Plans.Run(ctx)
	}
	return err
}

// stands is how the product stands, as the traces write it.
func (h *house) stands(tr *traced, cycle int, phase string) string {
	h.t.Helper()
	mandates := map[token.State]string{token.Active: "active", token.Blocked: "blocked", token.Deleted: "deleted"}
	purchases := map[purchase.Status]string{purchase.PendingCharge: "pending", purchase.PendingExecute: "pending",
		purchase.Chargeback: "disputed", purchase.Created: "open", purchase.Failed: "failed"}
	var state token.State
	var stopped string
	var inRow int
	must(h.t, h.store.Pool.QueryRow(ctx, `SELECT t.state, t.soft_failures,
			CASE WHEN c.stopped_at IS NULL THEN 'free' ELSE 'stopped' END
		FROM tokens t JOIN clients c ON c.id = t.client_id WHERE t.id = $1`, tr.token).Scan(&state, &inRow, &stopped))
	rec := h.purchase(tr.of)
	word := purchases[rec.Status]
	switch {
	case rec.Status == purchase.Overdue && rec.Collection != nil: // as failed, later
		word = "failed"
	case rec.Status == purchase.Overdue:
		word = "open"
	case word == "":
		word = string(rec.Status)
	}
	run, step := "none", 0
	if runs := h.runs(tr.of); len(runs) > 0 {
		run, step = string(runs[0].State), runs[0].Step
		switch runs[0].State {
		case plan.Held:
			run = runs[0].HeldFor
		case plan.WithPerson:
			run = "person"
		case plan.Waiting, plan.Over:
		}
	}
	return fmt.Sprintf("%d %s %s %s %d %s %s %d %s", cycle, phase, mandates[state], stopped, inRow, word, run, step,
		h.debits(tr.of))
}

func (h *house) debits(of uuid.UUID) string {
	h.t.Helper()
	rows, err := h.store.Pool.Query(ctx, `SELECT state, result_code, action_date::text FROM collections
		WHERE purchase_id = $1 ORDER BY attempt`, of)
	must(h.t, err)
	defer rows.Close()
	var all []string
	for rows.Next() {
		var state, code, on string
		must(h.t, rows.Scan(&state, &code, &on))
		if state == string(collection.Unpaid) && code == "04" {
			state = "stopped"
		}
		due := "?" + on
		for i, c := range cycles {
			if c.on.String() == on {
				due = fmt.Sprint(i + 1)
			}
		}
		all = append(all, state+"/"+due)
	}
	must(h.t, rows.Err())
	if len(all) == 0 {
		return "-"
	}
	return strings.Join(all, ",")
}
