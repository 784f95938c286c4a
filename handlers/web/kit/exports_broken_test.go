package kit

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
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
