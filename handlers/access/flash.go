package access

import (
	"encoding/json"
	"fmt"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"
)

// Flash is a message for the next page that this person sees. Kind is ok,
// info, warn or bad.
type Flash struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Undo string `json:"undo,omitempty"` // where a form is posted that takes it back
}

const flashKey = "flash"

// AddFlash leaves a message for the next page; call it before the answer is written.
func AddFlash(c echo.Context, kind, text string) error {
	return AddUndo(c, kind, text, "")
}

// AddUndo leaves a message with a button that takes back what was done.
func AddUndo(c echo.Context, kind, text, undo string) error {
	ss, ok := c.Get(sessionKey).(*sessions.Session)
	if !ok {
		return nil
	}
	all, err := json.Marshal(append(flashesIn(ss), Flash{kind, text, undo}))
	if err != nil {
		return fmt.Errorf("flash: %w", err)
	}
	ss.Values[flashKey] = string(all)
	return ss.Save(c.Request(), c.Response())
}

// TakeFlashes gives the messages that wait, once.
func TakeFlashes(c echo.Context) ([]Flash, error) {
	ss, ok := c.Get(sessionKey).(*sessions.Session)
	if !ok {
		return nil, nil
	}
	waiting := flashesIn(ss)
	if len(waiting) == 0 {
		return nil, nil
	}
	delete(ss.Values, flashKey)
	return waiting, ss.Save(c.Request(), c.Response())
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
