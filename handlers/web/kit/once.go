package kit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/replay"
)

// FormKeyName is the hidden field that makes a form count once, however often
// it is sent: a second click, a reload, a back button.
const FormKeyName = "form_key"

func NewFormKey() string { return uuid.NewString() }

// FormKeyOf is the key of a form that is opened: the one that its address remembers,
// so that a page which Back loads again is still the same form, else a new one.
func FormKeyOf(c echo.Context) string {
	if known, err := uuid.Parse(c.QueryParam(FormKeyName)); err == nil && c.Request().Method == http.MethodGet {
		return known.String()
	}
	return NewFormKey()
}

// Once runs what a form asks for and goes on to where its result is shown. The
// same form sent again goes to the same place and nothing is done again. It
// needs a use case that calls Answered; refusals come back as they are.
func Once[T any](c echo.Context, d *Desk, formKey string, act func(context.Context) (T, error),
	where func(T) string) error {
	to := ""
	if err := OnceAs(c, d, formKey, act, where, &to); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// OnceAs is once without going anywhere: into result comes what where says of
// what was made, this time or the first time. A form that does two things gives
// each a key of its own, "client:" and the form's key.
func OnceAs[T any](c echo.Context, d *Desk, formKey string, act func(context.Context) (T, error),
	where func(T) string, result *string) error {
	ctx := c.Request().Context()
	if _, err := uuid.Parse(formKey[strings.LastIndexByte(formKey, ':')+1:]); err != nil {
		made, err := act(ctx)
		if err == nil {
			*result = where(made)
		}
		return err
	}
	key, _ := FormReplay(c, d, formKey)
	return OnceKeyed(ctx, d.Replays, key, act, where, result)
}

// FormReplay is the key under which the answer of a form is kept.
func FormReplay(c echo.Context, d *Desk, formKey string) (key replay.Key, ok bool) {
	if _, err := uuid.Parse(formKey[strings.LastIndexByte(formKey, ':')+1:]); err != nil {
		return key, false
	}
	key = replay.Key{MerchantID: access.Actor(c).MerchantID, IsTest: d.Sandbox, Key: "form:" + formKey}
	sum := sha256.Sum256([]byte(c.Request().URL.Path + "\x00" + c.Request().PostForm.Encode()))
	key.Fingerprint = sum[:]
	return key, true
}

// OnceKeyed is onceAs under a key that was made already.
func OnceKeyed[T any](ctx context.Context, kept database.Answers, key replay.Key, act func(context.Context) (T, error),
	where func(T) string, result *string) (err error) {
	if *result, err = SentBefore(ctx, kept, key); *result != "" || err != nil {
		return err
	}
	recording, _ := replay.WithRecorder(ctx, key)
	recording = replay.WithEncoder(recording, func(made any) (replay.Answer, error) {
		typed, ok := made.(T)
		if !ok && made != nil { // a deletion leaves nothing that was made
			return replay.Answer{}, fmt.Errorf("answer: got %T", made)
		}
		return replay.Answer{Status: http.StatusSeeOther, Body: []byte(where(typed))}, nil
	})
	made, err := act(recording)
	if err == nil {
		*result = where(made)
		return nil
	}
	// The same form, sent twice at once, may have won.
	var again error
	if *result, again = SentBefore(ctx, kept, key); *result != "" || again != nil {
		return again
	}
	return err
}

func SentBefore(ctx context.Context, kept database.Answers, key replay.Key) (to string, err error) {
	answer, err := kept.Recall(ctx, key)
	switch {
	case errors.Is(err, replay.ErrKeyReused):
		return "", fault.New(fault.Conflict, "form_sent",
			"This form was sent before with other values, and that was done. Open a new form to do it again.")
	case err != nil || answer == nil:
		return "", err
	}
	return string(answer.Body), nil
}
