package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// What an import of a book may take at most.
const (
	bookSmall, bookLarge = 10_000, 200_000 // rows
	bookSeconds          = 30              // that the small one is rehearsed and done in
	bookJudged           = 60              // seconds in which the large one is rehearsed
	bookWritten          = 300             // and done
	bookMemory           = 200             // MB
	bookWait             = 30 * time.Minute
)

// bookWatched are pages that people look at while a book is imported.
var bookWatched = []string{"/", "/clients", "/mandates", "/tokens", "/imports"}

// books imports the clients of a business as a person does: upload, columns, rehearsal, run; and takes them back. What
// a row costs must not grow with the rows. Meanwhile another person opens pages.
func books(ctx context.Context, s *server, _ time.Duration, _ int) (table []line, err error) {
	browser, err := s.signIn()
	if err != nil {
		return nil, err
	}
	if err := s.exec(ctx, `INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name,
			account_number, is_default, created_at)
		SELECT gen_random_uuid(), b.merchant_id, b.id, 'BENCH1', 'BENCH', '62000009999', true, now() FROM brands b
		WHERE NOT EXISTS (SELECT FROM debit_profiles p WHERE p.brand_id = b.id AND p.is_default)`); err != nil {
		return nil, err
	}
	idle, err := s.openAll(browser, bookWatched, 100)
	if err != nil {
		return nil, err
	}
	slices.Sort(idle)
	var perRow [2]map[string]float64 // seconds
	for at, rows := range []int{bookSmall, bookLarge} {
		if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0); err != nil {
			return nil, err
		}
		var steps []batchStep
		busy, err := s.openMeanwhile(browser, bookWatched, func() (err error) {
			steps, err = s.moveIn(ctx, browser, rows)
			return err
		})
		if err != nil {
			return nil, err
		}
		peak, err := s.peak()
		if err != nil {
			return nil, err
		}
		perRow[at] = map[string]float64{}
		for _, one := range steps {
			perRow[at][one.name] = one.took.Seconds() / float64(rows)
		}
		table = append(table, bookLines(rows, steps, perRow)...)
		slices.Sort(busy)
		table = append(table,
			line{fmt.Sprintf("(m) %d rows: peak memory of the server", rows), fmt.Sprintf("%.1f MB", float64(peak)/1024), "",
				fmt.Sprintf("%.2f", float64(peak)/1024/bookMemory), fmt.Sprintf("under %d MB", bookMemory)},
			line{fmt.Sprintf("(m) %d rows: pages meanwhile, %d of them", rows, len(busy)), spread(busy),
				"idle: " + spread(idle), fmt.Sprintf("%.2f", busy[len(busy)/2].Seconds()/idle[len(idle)/2].Seconds()),
				fmt.Sprintf("median at most %.2f", batchPages)})
	}
	return table, nil
}

// bookLines are the steps of one import, the larger one beside what a row of the smaller one took.
func bookLines(rows int, steps []batchStep, perRow [2]map[string]float64) (table []line) {
	took := map[string]time.Duration{}
	for _, one := range steps {
		took[one.name] = one.took
		l := line{what: fmt.Sprintf("(m) %d clients with accounts and mandates: %s", rows, one.name),
			measured: seconds(one.took), ratio: fmt.Sprintf("%.0f rows/s", float64(rows)/one.took.Seconds())}
		if rows == bookLarge {
			l.against = fmt.Sprintf("a row of %d: %.0f µs", bookSmall, 1e6*perRow[0][one.name])
			l.ratio = fmt.Sprintf("%.2f", perRow[1][one.name]/perRow[0][one.name])
			l.aim = map[string]string{"rehearsed": fmt.Sprintf("under %d s, 1.50", bookJudged),
				"done": fmt.Sprintf("under %d s, 1.50", bookWritten), "taken back": "1.50"}[one.name]
		}
		table = append(table, l)
	}
	if rows == bookSmall {
		table = append(table, line{what: fmt.Sprintf("(m) %d rows rehearsed and done", rows),
			measured: seconds(took["rehearsed"] + took["done"]),
			ratio:    fmt.Sprintf("%.2f", (took["rehearsed"]+took["done"]).Seconds()/bookSeconds),
			aim:      fmt.Sprintf("under %d s", bookSeconds)})
	}
	return table
}

// openMeanwhile opens pages, one after the other, until something is done, and tells how long each took.
func (s *server) openMeanwhile(browser *http.Client, watched []string, do func() error) (busy []time.Duration,
	err error) {
	over, opened := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-over:
				opened <- nil
				return
			default:
			}
			took, err := s.openAll(browser, watched, len(watched))
			if err != nil {
				opened <- err
				return
			}
			busy = append(busy, took...)
			time.Sleep(100 * time.Millisecond)
		}
	}()
	err = do()
	close(over)
	if from := <-opened; err == nil {
		err = from
	}
	return busy, err
}

// moveIn does the steps of an import, each when the last is done.
func (s *server) moveIn(ctx context.Context, browser *http.Client, rows int) (steps []batchStep, err error) {
	form, kind := s.bookFile(rows)
	began := time.Now()
	did := func(name string) {
		steps = append(steps, batchStep{name, time.Since(began)})
		began = time.Now()
	}
	to, err := s.submit(browser, "/imports", kind, form)
	if err != nil {
		return nil, err
	}
	id := path.Base(path.Dir(to))
	did("uploaded")
	mapping, err := s.query(ctx, `SELECT mapping FROM book_imports WHERE id = $1`, id)
	if err != nil {
		return nil, err
	}
	columns, err := columnsOf(mapping)
	if err != nil {
		return nil, err
	}
	act := func(step string, fields url.Values, name, state string) error {
		if _, err := s.submit(browser, "/imports/"+id+"/"+step, formType, strings.NewReader(fields.Encode())); err != nil {
			return err
		}
		if err := s.waitFor(ctx, bookWait, `SELECT state FROM book_imports WHERE id = $1`, id, state); err != nil {
			return err
		}
		did(name)
		return nil
	}
	if err := act("map", columns, "rehearsed", "checked"); err != nil {
		return nil, err
	}
	seal, err := s.query(ctx, `SELECT revision || '-' || encode(fingerprint, 'hex') FROM book_imports WHERE id = $1`, id)
	if err != nil {
		return nil, err
	}
	if err := act("start", url.Values{"seal": {seal}}, "done", "done"); err != nil {
		return nil, err
	}
	created, err := s.query(ctx, `SELECT counts ->> 'created' FROM book_imports WHERE id = $1`, id)
	if err != nil {
		return nil, err
	}
	if created != fmt.Sprint(rows) {
		return nil, fmt.Errorf("%s of %d clients came in", created, rows)
	}
	return steps, act("undo", url.Values{}, "taken back", "undone")
}

// columnsOf is the form of the columns, each as it was guessed.
func columnsOf(mapping string) (url.Values, error) {
	var m struct {
		Columns []struct{ Field string } `json:"columns"`
	}
	if err := json.Unmarshal([]byte(mapping), &m); err != nil {
		return nil, err
	}
	form := url.Values{}
	for at, c := range m.Columns {
		form.Set(fmt.Sprintf("column_%d", at), c.Field)
	}
	return form, nil
}

// bookFile is the form that uploads so many clients.
func (s *server) bookFile(rows int) (form *bytes.Buffer, kind string) {
	form = &bytes.Buffer{}
	parts := multipart.NewWriter(form)
	_ = parts.WriteField("brand_id", s.cast.BrandID) // a buffer takes everything
	part, _ := parts.CreateFormFile("file", "members.csv")
	_, _ = fmt.Fprint(part, "Member No;Name;Surname;Cell;Email;Bank;Branch;Acc No;Acc Type;Monthly;Day;Mandate signed;"+
		"Last debit;Group\r\n")
	last := time.Now().AddDate(0, 0, -20).Format("02/01/2006")
	for n := range rows {
		_, _ = fmt.Fprintf(part, "B%d;Member;Number%d;082%07d;b%d-%d@example.com;FNB;250655;620%08d;Cheque;R 649,00;25;"+
			"28/01/2025;%s;%s\r\n", n, n, n, n, rows, n, last, []string{"GYM", "PT"}[n%2])
	}
	_ = parts.Close()
	return form, parts.FormDataContentType()
}
