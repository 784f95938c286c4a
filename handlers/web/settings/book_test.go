package settings_test

import (
	"archive/zip"
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/task"
)

const account, identity = "62000012340", "8001015009087"

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// book is a server whose merchant A has a client, and the files of its book.
func book(t *testing.T) *handlertest.Server {
	t.Helper()
	h := handlertest.New(t)
	must(t, h.Store.InTx(t.Context(), func(tx *database.Tx) error {
		c := client.Client{ID: h.Store.NewID(), MerchantID: h.A.ID, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		c.FullName, c.Email, c.BankAccount, c.PersonalCode = "Thandi Nkosi", "thandi@example.com", account, identity
		client.Insert(tx, c)
		return nil
	}))
	return h
}

var fileLink = regexp.MustCompile(`href="(/tasks/[^"]+/file)"`)

// fetched is the file of the newest task, read again.
func fetched(t *testing.T, h *handlertest.Server, who handlertest.Person) (files map[string]string, raw, at string) {
	t.Helper()
	page := h.Page(who, "GET", "/tasks", nil).Want(http.StatusOK).Body
	found := fileLink.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no file is offered: %s", page)
	}
	raw = h.Page(who, "GET", found[1], nil).Want(http.StatusOK).Body
	z, err := zip.NewReader(strings.NewReader(raw), int64(len(raw)))
	must(t, err)
	files = map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		files[f.Name] = string(content)
	}
	return files, raw, found[1]
}

func TestAnAdminTakesTheBookInTheBackground(t *testing.T) {
	t.Parallel()
	h := book(t)
	page := h.Page(h.A.Owner, "GET", "/settings/book", nil).Want(http.StatusOK).
		Contains("Take your book", "clients.csv").Body
	key := regexp.MustCompile(`name="form_key" value="([^"]+)"`).FindStringSubmatch(page)
	if key == nil {
		t.Fatal("the form has no key")
	}
	for range 2 { // the second is a second click
		if to := h.Page(h.A.Owner, "POST", "/settings/book", url.Values{"form_key": {key[1]}}).
			Want(http.StatusSeeOther).Header.Get("Location"); to != "/tasks" {
			t.Errorf("goes on to %s", to)
		}
	}
	if n := h.Count(`SELECT count(*) FROM tasks`); n != 1 {
		t.Fatalf("%d tasks", n)
	}
	for _, who := range []handlertest.Person{h.A.Finance, h.A.Staff, h.A.Reader} {
		h.Page(who, "GET", "/settings/book", nil).Want(http.StatusForbidden)
		h.Page(who, "POST", "/settings/book", nil).Want(http.StatusForbidden)
	}
	must(t, h.Tasks.TakeUp(t.Context()))
	if n := h.Count(`SELECT count(*) FROM mails m JOIN tasks t ON t.id = m.object_id WHERE m.kind = 'book_ready'
		AND m.subject = 'Your book is ready' AND m.recipient LIKE 'admin@%' AND m.attachments::text = '[]'
		AND m.text_body LIKE '%/tasks/' || t.id || '%'`); n != 1 {
		t.Errorf("%d mails say that the book is ready", n)
	}
	files, _, at := fetched(t, h, h.A.Owner)
	if !strings.Contains(files["clients.csv"], "Thandi Nkosi") || !strings.Contains(files["manifest.json"], `"masked"`) {
		t.Errorf("%q", files)
	}
	for name, content := range files {
		if strings.Contains(content, account) || strings.Contains(content, identity) {
			t.Errorf("%s holds a number in full", name)
		}
	}
	h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusForbidden)
	h.Page(h.B.Owner, "GET", at, nil).Want(http.StatusNotFound)
	for action, want := range map[string]int{"book.exported": 1, "task.asked": 1, "task.downloaded": 1} {
		if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = $1`, action); n != want {
			t.Errorf("%d entries %s, want %d", n, action, want)
		}
	}
}

func TestFullNumbersLeaveOnlyWhenASecondApproverAgrees(t *testing.T) {
	t.Parallel()
	h := book(t)
	blind := h.Member(h.A, "blind", actor.Admin, actor.Grants{actor.Reveal: false})
	h.Page(blind, "GET", "/settings/book", nil).Want(http.StatusOK).Lacks(`action="/settings/book/numbers"`)
	h.Page(blind, "POST", "/settings/book/numbers", url.Values{"reason": {"We move."}}).Want(http.StatusForbidden)
	h.Page(h.A.Owner, "POST", "/settings/book/numbers", url.Values{}).Want(http.StatusUnprocessableEntity).
		Contains("Give a reason")
	at := h.Page(h.A.Owner, "POST", "/settings/book/numbers", url.Values{"reason": {"We move."}}).
		Want(http.StatusSeeOther).Header.Get("Location")
	if n := h.Count(`SELECT count(*) FROM tasks`); n != 0 {
		t.Fatalf("%d tasks before anybody agreed", n)
	}
	page := h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusOK).Contains("identity numbers of all clients in full").
		Lacks("R 0,00", "R\u00a00,00").Body
	form := url.Values{"answer": {"yes"}}
	for _, name := range []string{"rows", "cents", "digest"} {
		found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("the form has no %s", name)
		}
		form.Set(name, found[1])
	}
	h.Page(h.A.Owner, "POST", at+"/decision", form).Want(http.StatusConflict).Contains("You asked for this yourself")
	h.Page(h.A.Finance, "POST", at+"/decision", form).Want(http.StatusSeeOther)
	must(t, h.Tasks.TakeUp(t.Context()))
	files, _, file := fetched(t, h, h.A.Owner)
	if !strings.Contains(files["clients.csv"], account) || !strings.Contains(files["clients.csv"], identity) {
		t.Errorf("%q", files["clients.csv"])
	}
	sees := h.Member(h.A, "sees", actor.Staff, actor.Grants{actor.Reveal: true})
	for _, who := range []handlertest.Person{h.A.Finance, blind, sees} {
		h.Page(who, "GET", file, nil).Want(http.StatusForbidden)
		h.Page(who, "GET", "/tasks", nil).Want(http.StatusOK).Lacks(file)
	}
	if n := h.Count(`SELECT count(*) FROM audit_entries
		WHERE action = 'book.exported' AND after ->> 'approved_by' <> ''`); n != 1 {
		t.Errorf("%d entries say who agreed", n)
	}
}

// dying is a worker that is killed at a step.
type dying struct {
	task.Worker
	steps int
	at    func(step int) bool
}

func (d *dying) Begin() task.Run { return &dyingRun{d, d.Worker.Begin()} }

type dyingRun struct {
	*dying
	task.Run
}

func (d *dyingRun) Step(ctx context.Context, t *task.Task, who actor.Actor) (task.Piece, error) {
	d.steps++
	if d.at(d.steps) {
		runtime.Goexit()
	}
	return d.Run.Step(ctx, t, who)
}

// A book is of one moment: another process begins it anew, and nothing of the first one stays in the file.
func TestABookBeginsAnewAfterAKillAndIsWhole(t *testing.T) {
	t.Parallel()
	h := book(t)
	d := &dying{Worker: h.Tasks.Workers[task.Book], at: func(int) bool { return false }}
	h.Tasks.Workers[task.Book] = d
	h.Page(h.A.Owner, "POST", "/settings/book", nil).Want(http.StatusSeeOther)
	must(t, h.Tasks.TakeUp(t.Context()))
	_, want, _ := fetched(t, h, h.A.Owner)
	pieces := d.steps
	if pieces < 3 {
		t.Fatalf("only %d pieces", pieces)
	}
	for kill := 1; kill <= pieces; kill++ {
		h.Page(h.A.Owner, "POST", "/settings/book", nil).Want(http.StatusSeeOther)
		d.steps, d.at = 0, func(step int) bool { return step == kill }
		var gone sync.WaitGroup
		gone.Go(func() { _ = h.Tasks.TakeUp(context.WithoutCancel(t.Context())) })
		gone.Wait()
		h.Wait(2 * time.Minute)
		d.at = func(int) bool { return false }
		must(t, h.Tasks.TakeUp(t.Context()))
		if files, got, _ := fetched(t, h, h.A.Owner); files["clients.csv"] == "" || len(got) != len(want) {
			t.Errorf("killed at piece %d: %d bytes, want %d", kill, len(got), len(want))
		}
	}
	if n := h.Count(`SELECT count(*) FROM tasks WHERE state <> 'done'`); n != 0 {
		t.Errorf("%d tasks are not done", n)
	}
}

func TestABookThatIsWrittenDuringAnErasureNamesNobodyErased(t *testing.T) {
	t.Parallel()
	h := book(t)
	var id string
	must(t, h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM clients`).Scan(&id))
	d := &dying{Worker: h.Tasks.Workers[task.Book]}
	erased := false
	d.at = func(step int) bool {
		if step == 3 && !erased {
			erased = true
			h.Page(h.A.Owner, "POST", "/clients/"+id+"/erasure", url.Values{"confirm": {"ERASE"}}).Want(http.StatusSeeOther)
		}
		return false
	}
	h.Tasks.Workers[task.Book] = d
	h.Page(h.A.Owner, "POST", "/settings/book", nil).Want(http.StatusSeeOther)
	must(t, h.Tasks.TakeUp(t.Context()))
	must(t, h.Tasks.TakeUp(t.Context())) // the first worker has lost it
	files, _, _ := fetched(t, h, h.A.Owner)
	if !erased || strings.Contains(files["clients.csv"], "Thandi") ||
		!strings.Contains(files["manifest.json"], "clients.csv") {
		t.Errorf("erased %v: %q", erased, files["clients.csv"])
	}
}
