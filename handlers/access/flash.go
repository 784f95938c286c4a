package access

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"
)

// Flash is a message for the next page that this person sees. Kind is ok,
// info, warn or bad.
type Flash struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Undo string `json:"undo,omitempty"` // where a form is posted that takes it back
	// Until is set where the message can be undone: pages show it till then.
	Until time.Time `json:"until,omitzero"`
}

const flashKey = "flash"

// undoShown is how long the pages that a person opens go on offering to undo what
// they just did; the act itself can often be undone for longer on its own page.
const undoShown = 30 * time.Second

// AddFlash leaves a message for the next page; call it before the answer is written.
func AddFlash(c echo.Context, kind, text string) error {
	return leave(c, Flash{Kind: kind, Text: text})
}

// RedirectWithFlash leaves a message for the next page and leads there.
func RedirectWithFlash(c echo.Context, kind, text, to string) error {
	if err := AddFlash(c, kind, text); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// AddUndo leaves a message with a button that takes back what was done. The button is on
// the pages of the next half minute too, until somebody presses it.
func AddUndo(c echo.Context, kind, text, undo string) error {
	return leave(c, Flash{kind, text, undo, time.Now().Add(undoShown)})
}

// leave keeps a message. It takes the place of one that offered to undo what was done before.
func leave(c echo.Context, f Flash) error {
	ss, ok := c.Get(sessionKey).(*sessions.Session)
	if !ok {
		return nil
	}
	waiting := slices.DeleteFunc(flashesIn(ss), func(w Flash) bool { return !w.Until.IsZero() })
	return keepFlashes(c, ss, append(waiting, f))
}

// TakeFlashes gives the messages that wait, once; those that offer to undo wait on.
func TakeFlashes(c echo.Context) ([]Flash, error) {
	ss, ok := c.Get(sessionKey).(*sessions.Session)
	if !ok {
		return nil, nil
	}
	waiting := flashesIn(ss)
	shown, kept := shownAt(waiting, time.Now())
	if len(kept) == len(waiting) {
		return shown, nil
	}
	return shown, keepFlashes(c, ss, kept)
}

// shownAt says which messages a page shows, and which of them later pages show too.
func shownAt(waiting []Flash, now time.Time) (shown, kept []Flash) {
	for _, f := range waiting {
		switch {
		case f.Until.IsZero():
			shown = append(shown, f)
		case now.Before(f.Until):
			shown, kept = append(shown, f), append(kept, f)
		}
	}
	return shown, kept
}

func keepFlashes(c echo.Context, ss *sessions.Session, all []Flash) error {
	if len(all) == 0 {
		delete(ss.Values, flashKey)
		return ss.Save(c.Request(), c.Response())
	}
	text, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("flash: %w", err)
	}
	ss.Values[flashKey] = string(text)
	return ss.Save(c.Request(), c.Response())
}

func flashesIn(ss *sessions.Session) []Flash {
	text, _ := ss.Values[flashKey].(string)
	if text == "" {
		return nil
	}
	var out []Flash
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil
	}
	return out
}
