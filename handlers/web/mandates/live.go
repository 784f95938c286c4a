package mandates

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

// Live serves the state of mandates as it changes.
type Live struct {
	Desk  *kit.Desk
	Sheet func(ctx context.Context, who actor.Actor, id uuid.UUID) (mandate.Sheet, error)
	// AskAgain asks the client once more.
	AskAgain func(ctx context.Context, who actor.Actor, id uuid.UUID, method mandate.Method) (purchase.Record, error)
	Limits   mandate.Limits
	Window   mandate.Window
	Bank     bank.Capabilities
	Watch    *mandate.Watch // tells which mandates have changed
	// Lives tells whether who opened a stream may still see it; it is asked before anything is sent.
	Lives func(echo.Context) (bool, error)

	drawn drawings
}

const (
	heartbeat = 25 * time.Second // below the idle limits of proxies
	// A stream ends after this time, and the browser opens the next.
	streamLife = 10 * time.Minute
	// A browser that takes nothing for so long is given up.
	sendTime = 10 * time.Second
)

// Events serves GET /mandates/:id/events: the panel's inside now and after each
// change, until the mandate is settled.
func (h *Live) Events(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	who := access.Actor(c)
	changed, cancel := h.Watch.Subscribe(id) // before the first look, so that no change is lost
	defer cancel()
	first, err := h.draw(c.Request().Context(), who, id)
	if err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "text/event-stream; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // for proxies
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	out := stream{c.Response(), http.NewResponseController(c.Response())}
	if err := out.open(); err != nil {
		return gone(c, err)
	}
	return gone(c, h.follow(c, out, who, id, changed, first))
}

// follow sends until the mandate is settled, the browser goes, its person may not see it any more, or the server stops.
func (h *Live) follow(c echo.Context, out stream, who actor.Actor, id uuid.UUID, changed <-chan struct{},
	now *drawing) error {
	ctx := c.Request().Context()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	end := time.NewTimer(streamLife)
	defer end.Stop()
	for {
		if err := out.send(now.event); err != nil || now.final {
			return err
		}
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return nil
			case <-end.C:
				return nil
			case <-beat.C:
				if lives, err := h.Lives(c); err != nil || !lives {
					return err
				}
				if err := out.send([]byte(":\n\n")); err != nil {
					return err
				}
			case _, more := <-changed:
				if !more {
					return nil
				}
				waiting = false
			}
		}
		lives, err := h.Lives(c)
		if err != nil || !lives {
			return err
		}
		if now, err = h.draw(ctx, who, id); err != nil {
			return err
		}
	}
}

// gone leaves out that a browser went away, which is how most streams end.
func gone(c echo.Context, err error) error {
	if went := c.Request().Context().Err() != nil; went || errors.Is(err, http.ErrNotSupported) {
		err = nil
	}
	return err
}

// Panel draws the panel of a mandate for a page.
func (h *Live) Panel(_ context.Context, _ actor.Actor, sheet mandate.Sheet) (templ.Component, error) {
	return components.Live(h.panel(sheet)), nil
}

func (h *Live) panel(sheet mandate.Sheet) components.MandateLive {
	return livePanel(sheet, h.Desk.Now(), h.Limits, h.Window, h.Bank)
}

// PanelOfChange is the panel where new details are to take the place of a stored account. Another account is no way on
// there: it would be stored beside the one that is to be replaced.
func (h *Live) PanelOfChange(_ context.Context, _ actor.Actor, sheet mandate.Sheet) (templ.Component, error) {
	panel := h.panel(sheet)
	panel.Now.Next = slices.DeleteFunc(panel.Now.Next, func(a components.LiveAct) bool { return a.Post == "" })
	return components.Live(panel), nil
}

// draw gives the event that shows the mandate now. Panels of one mandate share it.
func (h *Live) draw(ctx context.Context, who actor.Actor, id uuid.UUID) (*drawing, error) {
	return h.drawn.get(ctx, who.MerchantID, id, h.Watch.Version(id), func(ctx context.Context, d *drawing) error {
		sheet, err := h.Sheet(ctx, who, id)
		if err != nil {
			return err
		}
		panel := h.panel(sheet)
		var html bytes.Buffer
		if err := components.LiveInside(panel.ID, panel.Now).Render(ctx, &html); err != nil {
			return err
		}
		d.final = !sheet.State.Waiting()
		name := "state"
		if d.final {
			name = "final"
		}
		d.event = event(name, html.Bytes())
		return nil
	})
}

// event writes one server-sent event; each line of its data has the prefix.
func event(name string, data []byte) []byte {
	out := make([]byte, 0, len(data)+len(name)+64)
	out = append(append(append(out, "event: "...), name...), '\n')
	for line := range bytes.Lines(data) {
		out = append(append(append(out, "data: "...), bytes.TrimRight(line, "\r\n")...), '\n')
	}
	return append(out, '\n')
}

// stream is an answer that stays open.
type stream struct {
	out     http.ResponseWriter
	control *http.ResponseController
}

// open lifts the server's limits for whole requests: the one on reading would end
// the stream as if the browser had gone.
func (s stream) open() error {
	if err := s.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return s.send([]byte("retry: 1000\n\n")) // milliseconds until the browser comes again
}

func (s stream) send(text []byte) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(sendTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.out.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}

// Ask serves POST /mandates/:id/authentications: the client is asked once more.
func (h *Live) Ask(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	if _, err := h.Sheet(ctx, who, id); err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	method := mandate.Method(form.Get("method"))
	if method != mandate.RealTime && method != mandate.Delayed {
		return fault.At("method", "invalid", "Choose REALTIME or DELAYED.")
	}
	if _, err := h.AskAgain(ctx, who, id, method); err != nil {
		return err
	}
	text := "The request was sent again. The client has " + words.Glue(h.Limits.Span(method)) + " to answer."
	return access.RedirectWithFlash(c, "ok", text, h.askedFrom(c, id))
}

// askedFrom is the page that the panel stands on: the mandate's own, or the change of
// details that waits for the answer.
func (h *Live) askedFrom(c echo.Context, id uuid.UUID) string {
	from, err := url.Parse(c.Request().Referer())
	if err == nil && from.Host == c.Request().Host && strings.HasPrefix(from.Path, "/amendments/") {
		return access.LocalPath(from.Path)
	}
	return words.MandatePath(id)
}
