package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	batchRows    = 10_000
	batchCents   = 45_000
	batchSeconds = 20
	batchMemory  = 150 // MB
	batchPages   = 3.0 // times their idle median, at most
)

// watched are pages that people look at while a batch is sent.
var watched = []string{"/", "/purchases", "/clients", "/invoices", "/batches"}

// batches sends a file of rows, half of them for clients that are known and half
// for new ones, as a person without waiting does: upload, columns, check, start. It
// ends when the last mail is in the outbox with its words, kept because there is no
// relay. Meanwhile another person opens pages.
func batches(ctx context.Context, s *server, _ time.Duration, _ int) ([]line, error) {
	browser, err := s.signIn()
	if err != nil {
		return nil, err
	}
	if _, err := s.payers(ctx, "known", batchRows/2); err != nil {
		return nil, err
	}
	idle, err := s.open(browser, 100)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"),
		0); err != nil { // forgets the peak
		return nil, err
	}
	var busy []time.Duration
	over, opened := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-over:
				opened <- nil
				return
			default:
			}
			took, err := s.open(browser, len(watched))
			if err != nil {
				opened <- err
				return
			}
			busy = append(busy, took...)
		}
	}()
	steps, err := s.sendFile(ctx, browser)
	close(over)
	if from := <-opened; err == nil {
		err = from
	}
	if err != nil {
		return nil, err
	}
	peak, err := s.peak()
	if err != nil {
		return nil, err
	}
	var whole time.Duration
	var parts []string
	for _, one := range steps {
		whole += one.took
		parts = append(parts, one.name+" "+seconds(one.took))
	}
	slices.Sort(idle)
	slices.Sort(busy)
	quiet, loaded := idle[len(idle)/2], busy[len(busy)/2]
	return []line{
		{fmt.Sprintf("(g) %d rows of a CSV, from the upload to the last mail", batchRows), seconds(whole),
			strings.Join(parts, ", "),
			fmt.Sprintf("%.0f rows/s", batchRows/whole.Seconds()), fmt.Sprintf("under %d s", batchSeconds)},
		{"(g) peak memory of the server meanwhile", fmt.Sprintf("%.1f MB", float64(peak)/1024), "",
			fmt.Sprintf("%.2f", float64(peak)/1024/batchMemory), fmt.Sprintf("under %d MB", batchMemory)},
		{fmt.Sprintf("(g) pages meanwhile, %d of them", len(busy)), spread(busy), "idle: " + spread(idle),
			fmt.Sprintf("%.2f", loaded.Seconds()/quiet.Seconds()), fmt.Sprintf("median at most %.2f", batchPages)},
	}, nil
}

// open opens the watched pages in turn and tells how long each took.
func (s *server) open(browser *http.Client, times int) (took []time.Duration, err error) {
	return s.openAll(browser, watched, times)
}

// openAll opens pages in turn.
func (s *server) openAll(browser *http.Client, watched []string, times int) (took []time.Duration, err error) {
	for i := range times {
		began := time.Now()
		res, err := browser.Get(s.base + watched[i%len(watched)])
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %d, %w", watched[i%len(watched)], res.StatusCode, err)
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// peak is the most memory that the server had, in kB.
func (s *server) peak() (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	return strconv.Atoi(strings.Fields(rest)[0])
}

type batchStep struct {
	name string
	took time.Duration
}

// sendFile does the steps of a batch one after the other, each when the last is done.
func (s *server) sendFile(ctx context.Context, browser *http.Client) (steps []batchStep, err error) {
	form, kind := s.file()
	began := time.Now()
	did := func(name string) {
		steps = append(steps, batchStep{name, time.Since(began)})
		began = time.Now()
	}
	to, err := s.submit(browser, "/batches", kind, form)
	if err != nil {
		return nil, err
	}
	id := path.Base(path.Dir(to))
	did("upload")
	columns := url.Values{}
	for i, field := range []string{"email", "full_name", "amount", "due", "product"} {
		columns.Set("column_"+strconv.Itoa(i), field)
	}
	if _, err := s.submit(browser, "/batches/"+id+"/map", formType, strings.NewReader(columns.Encode())); err != nil {
		return nil, err
	}
	if err := s.wait(ctx, `SELECT state FROM batches WHERE id = $1`, id, "checked"); err != nil {
		return nil, err
	}
	create := url.Values{"cause": {"unknown_client"}, "column": {"1"}, "choice": {"create"}}
	if _, err := s.submit(browser, "/batches/"+id+"/fixes", formType, strings.NewReader(create.Encode())); err != nil {
		return nil, err
	}
	did("check")
	seen, err := s.query(ctx, `SELECT encode(fingerprint, 'hex') FROM batches WHERE id = $1`, id)
	if err != nil {
		return nil, err
	}
	order := url.Values{"rows": {strconv.Itoa(batchRows)}, "cents": {strconv.Itoa(batchRows * batchCents)},
		"warnings": {"on"}, "fingerprint": {seen}}
	if _, err := s.submit(browser, "/batches/"+id+"/start", formType, strings.NewReader(order.Encode())); err != nil {
		return nil, err
	}
	if err := s.wait(ctx, `SELECT state FROM batches WHERE id = $1`, id, "done"); err != nil {
		return nil, err
	}
	did("invoices")
	if err := s.wait(ctx,
		`SELECT count(*)::text FROM mails m JOIN batch_rows r ON r.purchase_id = m.purchase_id
			WHERE r.batch_id = $1 AND m.state = 'sent'`, id, strconv.Itoa(batchRows)); err != nil {
		return nil, err
	}
	did("mails")
	return steps, nil
}

const formType = "application/x-www-form-urlencoded"

// file is the form that uploads the rows.
func (s *server) file() (form *bytes.Buffer, kind string) {
	form = &bytes.Buffer{}
	parts := multipart.NewWriter(form)
	_ = parts.WriteField("brand_id", s.cast.BrandID) // a buffer takes everything
	part, _ := parts.CreateFormFile("file", "fees.csv")
	due := time.Now().AddDate(0, 0, 30).Format(time.DateOnly)
	_, _ = fmt.Fprint(part, "E-mail;Full name;Amount;Due date;Description\r\n")
	for n := range batchRows {
		who := "known"
		if n%2 == 1 {
			who = "fresh"
		}
		_, _ = fmt.Fprintf(part, "%s%d@example.com;Payer %d;R 450,00;%s;Tuition, first term\r\n", who, n/2+1, n/2+1, due)
	}
	_ = parts.Close()
	return form, parts.FormDataContentType()
}

// submit sends a form and gives the address of the page that follows.
func (s *server) submit(browser *http.Client, to, kind string, form io.Reader) (string, error) {
	r, err := http.NewRequest(http.MethodPost, s.base+to, form)
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := browser.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	page, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %d %.2000s, %w", to, res.StatusCode, page, err)
	}
	return res.Request.URL.Path, nil
}

// wait asks the database until the answer is what is wanted.
func (s *server) wait(ctx context.Context, question, id, want string) error {
	return s.waitFor(ctx, 2*time.Minute, question, id, want)
}

func (s *server) waitFor(ctx context.Context, most time.Duration, question, id, want string) error {
	got := ""
	for until := time.Now().Add(most); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		var err error
		if got, err = s.query(ctx, question, id); err != nil || got == want {
			return err
		}
	}
	return fmt.Errorf("%s: %s, not %s", question, got, want)
}
