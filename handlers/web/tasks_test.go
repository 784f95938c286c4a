package web_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/task"
)

// stepping is a worker whose steps a test watches.
type stepping struct {
	worker        task.Worker
	before, after func(step int, t *task.Task)
	steps         int
}

func (s *stepping) Begin() task.Run { return &watched{s, s.worker.Begin()} }

type watched struct {
	*stepping
	run task.Run
}

func (s *watched) Close() { s.run.Close() }

func (s *watched) Step(ctx context.Context, t *task.Task, who actor.Actor) (task.Piece, error) {
	s.steps++
	if s.before != nil {
		s.before(s.steps, t)
	}
	piece, err := s.run.Step(ctx, t, who)
	if s.after != nil {
		s.after(s.steps, t)
	}
	return piece, err
}

// longList has more clients than are exported at once: 40, of which a step writes 15.
func longList(t *testing.T) (*handlertest.Server, *stepping) {
	t.Helper()
	h := handlertest.New(t)
	if err := h.Store.InTx(t.Context(), func(tx *database.Tx) error {
		for i := range 40 {
			c := client.Client{ID: h.Store.NewID(), MerchantID: h.A.ID, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
			c.FullName, c.Email, c.BankAccount = fmt.Sprintf("Payer %02d", i), fmt.Sprintf("p%02d@example.com", i), "62000012340"
			c.PersonalCode = "8001015009087"
			client.Insert(tx, c)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	h.Deps.Clients.Exports.Above = 10
	worker := h.Tasks.Workers[kit.ExportKind].(*kit.Exports)
	worker.PageRows = 3
	steps := &stepping{worker: worker}
	h.Tasks.Workers[kit.ExportKind] = steps
	return h, steps
}

var (
	hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)
	taskFile    = regexp.MustCompile(`href="(/tasks/[^"]+/file)"`)
	taskCancel  = regexp.MustCompile(`action="(/tasks/[^"]+/cancellation)"`)
)

// asked asks for the file of a list as a browser does, and gives the task.
func asked(t *testing.T, h *handlertest.Server, who handlertest.Person, address string) (id uuid.UUID,
	form url.Values) {
	t.Helper()
	page := h.Page(who, "GET", address, nil, "Accept: text/html").
		Want(http.StatusOK).
		Contains("Prepare file", "Download now").
		Body
	form = url.Values{}
	for _, m := range hiddenField.FindAllStringSubmatch(page, -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}
	if to := h.Page(who, "POST", "/tasks/exports", form).Want(http.StatusSeeOther).Header.Get("Location"); to != "/tasks" {
		t.Errorf("goes on to %s", to)
	}
	var text string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM tasks ORDER BY id DESC LIMIT 1`).
		Scan(&text); err != nil {
		t.Fatal(err)
	}
	return uuid.MustParse(text), form
}

// lost lets a process be killed in the middle of a task: nothing of it goes on, and nothing is given back.
func lost(work func()) {
	var gone sync.WaitGroup
	gone.Go(work)
	gone.Wait()
}

func TestALongListIsExportedInTheBackground(t *testing.T) {
	h, _ := longList(t)
	for _, format := range []string{"csv", "xlsx"} {
		address := "/clients/export?format=" + format + "&q=payer"
		id, form := asked(t, h, h.A.Reader, address)
		h.Page(h.A.Reader, "POST", "/tasks/exports", form).Want(http.StatusSeeOther) // a second click
		if n := h.Count(`SELECT count(*) FROM tasks WHERE state = 'waiting'`); n != 1 {
			t.Fatalf("%d tasks wait", n)
		}
		h.Page(h.A.Reader, "GET", "/tasks", nil).Want(http.StatusOK).Contains("Export of clients", "Waiting", "0 of 40 rows",
			`hx-trigger="every 1s"`, "1 task running")
		if err := h.Tasks.Work(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		page := h.Page(h.A.Reader, "GET", "/tasks", nil).
			Want(http.StatusOK).
			Contains("Done", "40 rows", "kept until", "done").
			Lacks(`hx-trigger="every 1s"`).
			Body
		file := h.Page(h.A.Reader, "GET", taskFile.FindStringSubmatch(page)[1], nil).Want(http.StatusOK)
		direct := h.Page(h.A.Reader, "GET", address+"&now=1", nil, "Accept: text/html").Want(http.StatusOK)
		if format == "csv" && file.Body != direct.Body {
			t.Errorf("the file is another one than that of the list: %q", file.Body)
		}
		if got := file.Header.Get("Content-Length"); got != fmt.Sprint(len(file.Body)) {
			t.Errorf("%d bytes, announced as %s", len(file.Body), got)
		}
		if strings.Contains(file.Body, "62000012340") {
			t.Error("an account is not masked")
		}
	}
	for action, want := range map[string]int{"task.asked": 2, "list.exported": 4, "task.ended": 2, "task.downloaded": 2} {
		if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = $1`, action); n != want {
			t.Errorf("%d entries %s, want %d", n, action, want)
		}
	}
	// A short list, and a program, get the file at once.
	h.Page(h.A.Reader, "GET", "/clients/export?format=csv&q=p01%40example.com", nil, "Accept: text/html").
		Lacks("Prepare file")
	h.Page(h.A.Reader, "GET", "/clients/export?format=csv", nil, "Accept: */*").Lacks("Prepare file")
}

// Who asks for a task to be done at once does it, although workers look for tasks all the time. They take it when that
// person's process has died.
func TestATaskIsDoneAtOnceByWhoAsksForIt(t *testing.T) {
	h, _ := longList(t)
	tasks := *h.Tasks
	tasks.Workers = map[string]task.Worker{"count": counting{}}
	ask := func() uuid.UUID {
		made, err := tasks.Ask(t.Context(), h.A.Staff.Actor(),
			task.Wish{Kind: "count", Title: "Count", Needs: actor.Write, Total: 1, AtOnce: true})
		must(t, err)
		must(t, tasks.TakeUp(t.Context()))
		must(t, tasks.Work(t.Context(), made.ID))
		return made.ID
	}
	state := func(id uuid.UUID) task.State {
		found, err := tasks.Get(t.Context(), h.A.Staff.Actor(), id)
		must(t, err)
		return found.State
	}
	mine, left := ask(), ask()
	if got := state(mine); got != task.Waiting {
		t.Errorf("a worker took it: it is %s", got)
	}
	must(t, tasks.WorkAtOnce(t.Context(), mine))
	now := tasks.Now().Add(time.Minute)
	tasks.Now = func() time.Time { return now }
	must(t, tasks.TakeUp(t.Context()))
	for _, id := range []uuid.UUID{mine, left} {
		if got := state(id); got != task.Done {
			t.Errorf("a task is %s", got)
		}
	}
}

// counting is a worker that has one row.
type counting struct{}

func (c counting) Begin() task.Run { return c }
func (counting) Close()            {}
func (counting) Step(_ context.Context, t *task.Task, _ actor.Actor) (task.Piece, error) {
	t.Done++
	return task.Piece{}, nil
}

func TestAStrangerHasNoPartInATask(t *testing.T) {
	h, _ := longList(t)
	id, form := asked(t, h, h.A.Staff, "/clients/export?format=csv")
	h.Page(h.B.Owner, "GET", "/tasks", nil).Want(http.StatusOK).Lacks("Export of clients")
	h.Page(h.B.Owner, "POST", "/tasks/"+id.String()+"/cancellation", url.Values{}).Want(http.StatusNotFound)
	if err := h.Tasks.Work(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	h.Page(h.B.Owner, "GET", "/tasks/"+id.String()+"/file", nil).Want(http.StatusNotFound)
	form.Set("list", "secrets")
	form.Set("form_key", uuid.NewString())
	h.Page(h.A.Staff, "POST", "/tasks/exports", form).Want(http.StatusNotFound)
	// What the task was asked with is not kept in clear.
	if n := h.Count(
		`SELECT count(*) FROM tasks WHERE position(convert_to('clients', 'UTF8') in input_sealed) > 0`,
	); n != 0 {
		t.Error("the input of a task is kept in clear")
	}
	if n := h.Count(
		`SELECT count(*) FROM task_chunks WHERE position(convert_to('Payer', 'UTF8') in content) > 0`,
	); n != 0 {
		t.Error("the file of a task is kept in clear")
	}
	// Once the time is over, the file is gone.
	h.Wait(8 * 24 * time.Hour)
	if err := h.Tasks.Store.Tidy(t.Context(), h.Real()); err != nil {
		t.Fatal(err)
	}
	if n := h.Count(`SELECT count(*) FROM task_chunks`); n != 0 {
		t.Errorf("%d parts are kept", n)
	}
}

// A process that is killed before or after any piece loses nothing and does nothing twice.
func TestAnExportGoesOnAfterAKillAtEachPiece(t *testing.T) {
	h, steps := longList(t)
	for _, format := range []string{"csv", "xlsx"} {
		whole, _ := asked(t, h, h.A.Staff, "/clients/export?format="+format)
		steps.steps, steps.before, steps.after = 0, nil, nil
		if err := h.Tasks.Work(t.Context(), whole); err != nil {
			t.Fatal(err)
		}
		pieces := steps.steps
		want := h.Page(h.A.Staff, "GET", "/tasks/"+whole.String()+"/file", nil).Want(http.StatusOK).Body
		killed, _ := asked(t, h, h.A.Staff, "/clients/export?format="+format)
		for kill := 1; ; kill++ { // a workbook gets a piece further each time, a CSV file only if it goes on where it was
			steps.steps = 0
			dies := func(at int) func(int, *task.Task) {
				return func(step int, _ *task.Task) {
					if step == at {
						runtime.Goexit()
					}
				}
			}
			last := 1
			if format == "xlsx" {
				last = (kill + 1) / 2
			}
			steps.before, steps.after = dies(last+1), nil // after the piece was kept
			if kill%2 == 1 {
				steps.before, steps.after = nil, dies(last) // before it was
			}
			if kill > 2*pieces+2 {
				t.Fatal("it never ends")
			}
			lost(func() { _ = h.Tasks.TakeUp(context.WithoutCancel(t.Context())) })
			if h.Count(`SELECT count(*) FROM tasks WHERE state = 'done' AND id = $1`, killed) == 1 {
				break
			}
			if err := h.Tasks.Work(t.Context(), killed); err != nil { // its claim still holds
				t.Fatal(err)
			}
			if h.Count(`SELECT count(*) FROM tasks WHERE state = 'done' AND id = $1`, killed) == 1 {
				t.Fatal("another worker did not respect the claim")
			}
			h.Wait(2 * time.Minute)
		}
		if got := h.Page(h.A.Staff, "GET", "/tasks/"+killed.String()+"/file", nil).
			Want(http.StatusOK).
			Body; format == "csv" &&
			got != want {
			t.Errorf("the file is another one: %q", got)
		} else if len(got) < len(want)-100 ||
			len(got) > len(want)+100 {
			t.Errorf("%d bytes, want about %d", len(got), len(want))
		}
	}
}

func TestATaskIsCancelledBetweenPieces(t *testing.T) {
	h, steps := longList(t)
	id, _ := asked(t, h, h.A.Staff, "/clients/export?format=csv")
	steps.after = func(step int, _ *task.Task) {
		if step == 1 {
			page := h.Page(h.A.Finance, "GET", "/tasks", nil).Want(http.StatusOK).Contains("Running").Body
			h.Page(h.A.Finance, "POST", taskCancel.FindStringSubmatch(page)[1], url.Values{}).Want(http.StatusSeeOther)
			h.Page(h.A.Finance, "GET", "/tasks", nil).Contains("Stopping").Lacks("Cancel task")
		}
	}
	if err := h.Tasks.Work(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Staff, "GET", "/tasks", nil).Want(http.StatusOK).Contains("Cancelled by", "15 rows done, 25 rows not done").
		Lacks("/file")
	if n := h.Count(`SELECT count(*) FROM task_chunks`); n != 0 {
		t.Errorf("%d parts of a file that is not complete are kept", n)
	}
	h.Page(h.A.Staff, "GET", "/tasks/"+id.String()+"/file", nil).Want(http.StatusNotFound)
	// One that nobody has begun ends at once; one that is over stays as it is.
	waits, _ := asked(t, h, h.A.Staff, "/clients/export?format=csv")
	cancel := "/tasks/" + waits.String() + "/cancellation"
	h.Page(h.A.Staff, "POST", cancel, url.Values{}).Want(http.StatusSeeOther)
	h.Page(h.A.Staff, "POST", cancel, url.Values{}).Want(http.StatusSeeOther)
	h.Page(h.A.Staff, "GET", "/tasks", nil).Contains("Only a task that is waiting or running can be cancelled.")
	if err := h.Tasks.Work(t.Context(), waits); err != nil {
		t.Fatal(err)
	}
	if n := h.Count(`SELECT count(*) FROM tasks WHERE state = 'cancelled'`); n != 2 {
		t.Errorf("%d tasks are cancelled", n)
	}
}

func TestTwoWorkersHaveOneWinner(t *testing.T) {
	h, steps := longList(t)
	id, _ := asked(t, h, h.A.Staff, "/clients/export?format=csv")
	// While the first is at its second piece its claim runs out, and another does the task.
	steps.after = func(step int, _ *task.Task) {
		if step == 2 {
			h.Wait(2 * time.Minute)
			if err := h.Tasks.TakeUp(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	if err := h.Tasks.Work(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(
		h.Page(h.A.Staff, "GET", "/tasks/"+id.String()+"/file", nil).Want(http.StatusOK).Body, "\ufeff"))).ReadAll()
	names := column(rows, "Client")
	slices.Sort(names)
	if err != nil || len(names) != 40 || len(slices.Compact(names)) != 40 {
		t.Errorf("%d rows, %v", len(names), err)
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'task.ended'`); n != 1 {
		t.Errorf("it ended %d times", n)
	}
}

// The file holds what the person may see when it is written; somebody who left the team gets none.
func TestAnExportOfSomebodyWhoLeftFails(t *testing.T) {
	h, _ := longList(t)
	id, _ := asked(t, h, h.A.Staff, "/clients/export?format=csv")
	h.Count(
		`WITH gone AS (UPDATE memberships SET disabled_at = now() WHERE user_id = $1 RETURNING 1) SELECT count(*) FROM gone`,
		h.A.Staff.ID,
	)
	if err := h.Tasks.Work(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	h.Page(h.A.Owner, "GET", "/tasks", nil).
		Want(http.StatusOK).
		Contains("Failed", "is no longer on the team").
		Lacks("/file")
}
