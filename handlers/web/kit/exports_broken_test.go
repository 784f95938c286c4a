package kit

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/paging"
)

type noLog struct{}

func (noLog) Audit(actor.Actor, audit.Entry) {}

// sending serves one list over a real connection; page n answers the n-th page.
func sending(t *testing.T, page func(ctx context.Context, n int) (paging.Page[int64],
	error)) (url string, failed <-chan error) {
	t.Helper()
	x := &Exports{Desk: &Desk{Now: func() time.Time { return time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC) }},
		Audit: &audit.Exports{InTx: func(_ context.Context, fn func(audit.Log) error) error { return fn(noLog{}) }}}
	e, came := echo.New(), make(chan error, 2)
	e.GET("/", func(c echo.Context) error {
		access.Set(c, actor.Actor{Kind: actor.User, Role: actor.Staff})
		n := 0
		err := send(c, x, outgoing[int64]{list: "numbers", heads: []export.Head{{Text: "Number"}},
			cells: func(n int64) []export.Cell { return []export.Cell{export.Count(n)} },
			page:  func(ctx context.Context, _ paging.Ask) (paging.Page[int64], error) { n++; return page(ctx, n) },
			id:    func(int64) uuid.UUID { return uuid.Nil }})
		came <- err
		return err
	})
	s := httptest.NewServer(e)
	t.Cleanup(s.Close)
	return s.URL, came
}

var full = paging.Page[int64]{Items: []int64{1, 2, 3}, Older: true}

func TestAFileThatCannotBeCompletedDoesNotLookComplete(t *testing.T) {
	down := errors.New("the database is down")
	address, _ := sending(t, func(_ context.Context, n int) (paging.Page[int64], error) {
		if n == 3 {
			return paging.Page[int64]{}, down
		}
		return full, nil
	})
	answer, err := http.Get(address + "?format=csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if _, err := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK || err == nil {
		t.Errorf("status %d, and the file ended well", answer.StatusCode)
	}
	answer, err = http.Get(address + "?format=xlsx") // nothing has left yet: an answer of its own
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusInternalServerError || answer.Header.Get("Content-Disposition") != "" {
		t.Errorf("status %d, %v", answer.StatusCode, answer.Header)
	}
}

// Before the first row there is nothing to break off: the answer is one of its own.
func TestAFileWhoseFirstPageFailsIsNotBegun(t *testing.T) {
	down := errors.New("the database is down")
	address, _ := sending(t, func(context.Context, int) (paging.Page[int64], error) { return paging.Page[int64]{}, down })
	for _, format := range []string{"csv", "xlsx"} {
		answer, err := http.Get(address + "?format=" + format)
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != http.StatusInternalServerError || answer.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: status %d, %v", format, answer.StatusCode, answer.Header)
		}
		_ = answer.Body.Close()
	}
}

// A page that panics while the one before it is written ends the file, not the server.
func TestAPageThatPanicsBreaksTheFileOff(t *testing.T) {
	address, failed := sending(t, func(_ context.Context, n int) (paging.Page[int64], error) {
		if n == 3 {
			panic("no such page")
		}
		return full, nil
	})
	answer, err := http.Get(address + "?format=csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if _, err := io.ReadAll(answer.Body); err == nil {
		t.Error("the file ended well")
	}
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "no such page") {
		t.Errorf("ended with %v", err)
	}
}

// The next page is read while a page is written, and never more than that one: a list of any length takes the memory
// of two pages.
func TestAnExportReadsOnePageAhead(t *testing.T) {
	var written, most atomic.Int64
	x := &Exports{Desk: &Desk{Now: time.Now}, PageRows: 3}
	read := int64(0)
	o := outgoing[int64]{
		list:  "numbers",
		heads: []export.Head{{Text: "Number"}},
		id:    func(int64) uuid.UUID { return uuid.Nil },
		cells: func(n int64) []export.Cell { written.Add(1); return []export.Cell{export.Count(n)} },
		page: func(context.Context, paging.Ask) (paging.Page[int64], error) {
			read += 3
			most.Store(max(most.Load(), read-written.Load()))
			return paging.Page[int64]{Items: []int64{1, 2, 3}, Older: read < 300}, nil
		},
	}
	rec := httptest.NewRecorder()
	to := &Download{C: echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/", nil), rec),
		Control: http.NewResponseController(rec)}
	if err := write(t.Context(), x, o, export.CSV, to); err != nil || written.Load() != 300 {
		t.Fatalf("wrote %d rows, %v", written.Load(), err)
	}
	if most.Load() > 6 {
		t.Errorf("%d rows were held at once", most.Load())
	}
}

func TestAnExportStopsWhenItsReaderLeaves(t *testing.T) {
	for _, format := range []string{"csv", "xlsx"} {
		ctx, leave := context.WithCancel(t.Context())
		address, failed := sending(t, func(ctx context.Context, n int) (paging.Page[int64], error) {
			if n == 3 {
				leave()
				<-ctx.Done()
			}
			return full, ctx.Err() // without an end of its own
		})
		ask, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"?format="+format, nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := http.DefaultClient.Do(ask); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("%s ended with %v", format, err)
		}
		leave()
	}
}
