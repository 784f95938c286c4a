package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/fault"
	"debitdesk/models/replay"
)

// Replays is where the answers of forms are kept.
type Replays interface {
	Recall(ctx context.Context, k replay.Key) (*replay.Answer, error)
}

// formKeyName is the hidden field that makes a form count once, however often
// it is sent: a second click, a reload, a back button.
const formKeyName = "form_key"

func newFormKey() string { return uuid.NewString() }

// once runs what a form asks for and goes on to where its result is shown. The
// same form sent again goes to the same place and nothing is done again. It
// needs a use case that calls Answered; refusals come back as they are.
func once[T any](c echo.Context, kept Replays, isTest bool, formKey string, act func(context.Context) (T, error), where func(T) string) error {
	ctx := c.Request().Context()
	if _, err := uuid.Parse(formKey); err != nil || kept == nil {
		result, err := act(ctx)
		if err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, where(result))
	}
	key := replay.Key{MerchantID: access.Actor(c).MerchantID, IsTest: isTest, Key: "form:" + formKey}
	sum := sha256.Sum256([]byte(c.Request().URL.Path + "\x00" + c.Request().PostForm.Encode()))
	key.Fingerprint = sum[:]
	if to, err := sentBefore(ctx, kept, key); to != "" || err != nil {
		return goOr(c, to, err)
	}
	recording, _ := replay.WithRecorder(ctx, key)
	recording = replay.WithEncoder(recording, func(result any) (replay.Answer, error) {
		typed, ok := result.(T)
		if !ok {
			return replay.Answer{}, fmt.Errorf("answer: got %T", result)
		}
		return replay.Answer{Status: http.StatusSeeOther, Body: []byte(where(typed))}, nil
	})
	result, err := act(recording)
	if err != nil {
		// The same form, sent twice at once, may have won.
		if to, again := sentBefore(ctx, kept, key); to != "" || again != nil {
			return goOr(c, to, again)
		}
		return err
	}
	return c.Redirect(http.StatusSeeOther, where(result))
}

func sentBefore(ctx context.Context, kept Replays, key replay.Key) (to string, err error) {
	answer, err := kept.Recall(ctx, key)
	switch {
	case errors.Is(err, replay.ErrKeyReused):
		return "", fault.New(fault.Conflict, "form_sent", "This form was sent before with other values, and what it asked for is done. Open a new form to do it again.")
	case err != nil || answer == nil:
		return "", err
	}
	return string(answer.Body), nil
}

func goOr(c echo.Context, to string, err error) error {
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, to)
}
