package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api/input"
	"debitdesk/models/actor"
	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
)

// Purchases serves /purchases/.
type Purchases struct {
	Base      Base
	Service   *purchase.Service
	Deletions *deletion.Service
}

// Create serves POST /purchases/.
func (h *Purchases) Create(c echo.Context) error {
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	in := readPurchase(body)
	return h.answer(c, http.StatusCreated, func(ctx context.Context, who actor.Actor) (purchase.Record, error) {
		if who.Kind == actor.User {
			in.UserID = who.ID
		}
		return h.Service.Create(ctx, who, in)
	})
}

// List serves GET /purchases/ (ours: the family has no list).
func (h *Purchases) List(c echo.Context) error {
	var wrong fault.Problems
	f := readFilter(c, &wrong)
	return listOf(c, h.Base, wrong, func(ctx context.Context, who actor.Actor,
		ask paging.Ask) (paging.Page[purchase.Record], error) {
		return h.Service.List(ctx, who, f, ask)
	}, func(r purchase.Record) uuid.UUID { return r.ID }, h.Base.PurchaseBody)
}

func readFilter(c echo.Context, wrong *fault.Problems) purchase.Filter {
	f := purchase.Filter{Search: c.QueryParam("q")}
	for _, text := range c.QueryParams()["status"] {
		status := purchase.Status(text)
		if text == "" { // as any filter that is empty
			continue
		}
		if !status.Known() {
			wrong.Add("status", "invalid_choice", "%q is not a valid choice.", text)
			continue
		}
		f.Statuses = append(f.Statuses, status)
	}
	if text := c.QueryParam("client_id"); text != "" {
		id, err := input.ParseUUID(text)
		if err != nil {
			wrong.Add("client_id", "invalid", "%q is not a valid UUID.", text)
		}
		f.ClientID = id
	}
	f.DueFrom = readUnix(c, "due_from", wrong)
	f.DueTo = readUnix(c, "due_to", wrong)
	if !f.DueTo.IsZero() {
		f.DueTo = f.DueTo.Add(time.Second - time.Microsecond) // the whole second counts
	}
	return f
}

func readUnix(c echo.Context, name string, wrong *fault.Problems) time.Time {
	text := c.QueryParam(name)
	if text == "" {
		return time.Time{}
	}
	at, ok := input.ParseUnix(text)
	if !ok {
		wrong.Add(name, "invalid", "A valid Unix time in seconds is required.")
	}
	return at
}

// Get serves GET /purchases/{id}/.
func (h *Purchases) Get(c echo.Context) error {
	return one(c, h.Service.Get, h.Base.PurchaseBody)
}

// Counts serves GET /purchases/counts/: the number by status, for the dashboard's tabs.
func (h *Purchases) Counts(c echo.Context) error {
	totals, err := h.Service.Totals(c.Request().Context(), access.Actor(c), purchase.Filter{})
	if err != nil {
		return err
	}
	return JSON(c, http.StatusOK, map[string]any{"counts": totals[""].Counts()})
}

// Cancel serves POST /purchases/{id}/cancel/.
func (h *Purchases) Cancel(c echo.Context) error { return h.act(c, h.Service.Cancel) }

// ResendInvoice serves POST /purchases/{id}/resend_invoice/.
func (h *Purchases) ResendInvoice(c echo.Context) error { return h.act(c, h.Service.ResendInvoice) }

// DeleteRecurringToken serves POST /purchases/{id}/delete_recurring_token/.
func (h *Purchases) DeleteRecurringToken(c echo.Context) error {
	return h.act(c, h.Deletions.DeleteTokenOf)
}

// Charge serves POST /purchases/{id}/charge/.
func (h *Purchases) Charge(c echo.Context) error {
	id, body, err := h.idAndBody(c)
	if err != nil {
		return err
	}
	return h.answer(c, http.StatusOK, func(ctx context.Context, who actor.Actor) (purchase.Record, error) {
		tokenID, wrong := readToken(body)
		if wrong != nil {
			if _, err := h.Service.Get(ctx, who, id); err != nil { // 404 comes before what is wrong with the body
				return purchase.Record{}, err
			}
			return purchase.Record{}, wrong
		}
		return h.Service.Charge(ctx, who, id, tokenID)
	})
}

// readToken: null and a missing value are required; anything else that is no id is
// no live token either (API contract 12.23).
func readToken(body *input.Object) (uuid.UUID, error) {
	if body.IsNull("recurring_token") {
		body.NeedText("recurring_token", 128)
		return uuid.Nil, body.Err()
	}
	text, _ := body.Fields()["recurring_token"].(string)
	id, err := input.ParseUUID(text)
	if err != nil {
		return uuid.Nil, fault.New(fault.Conflict, "invalid_recurring_token", "Invalid or inactive recurring token!")
	}
	return id, nil
}

// Refund serves POST /purchases/{id}/refund/.
func (h *Purchases) Refund(c echo.Context) error {
	id, body, err := idAndOptions(c)
	if err != nil {
		return err
	}
	amount := body.NullInt("amount", input.Any)
	who := access.Actor(c)
	return Run(c, http.StatusOK, h.Base.refundAnswer, func(ctx context.Context) (purchase.RefundResult, error) {
		if err := body.Err(); err != nil {
			return purchase.RefundResult{}, err
		}
		return h.Service.Refund(ctx, who, id, amount)
	})
}

// MarkAsPaid serves POST /purchases/{id}/mark_as_paid/.
func (h *Purchases) MarkAsPaid(c echo.Context) error {
	id, body, err := idAndOptions(c)
	if err != nil {
		return err
	}
	var paidOn *time.Time
	if at, given := body.Moment("paid_on"); given {
		paidOn = &at
	}
	return h.answer(c, http.StatusOK, func(ctx context.Context, who actor.Actor) (purchase.Record, error) {
		if err := body.Err(); err != nil {
			return purchase.Record{}, err
		}
		return h.Service.MarkAsPaid(ctx, who, id, paidOn)
	})
}

// Capture serves POST /purchases/{id}/capture/: nothing is held by debit orders,
// so no purchase is ever in the status it needs.
func (h *Purchases) Capture(c echo.Context) error {
	return h.act(c, h.never("purchase_capture_wrong_status", "Only Purchases with `status == hold` can be captured."))
}

// Release serves POST /purchases/{id}/release/; see Capture.
func (h *Purchases) Release(c echo.Context) error {
	return h.act(c, h.never("purchase_release_wrong_status", "Only Purchases with `status == hold` can be released."))
}

func (h *Purchases) never(code, message string) func(context.Context, actor.Actor, uuid.UUID) (purchase.Record, error) {
	return func(ctx context.Context, who actor.Actor, id uuid.UUID) (purchase.Record, error) {
		if _, err := h.Service.Get(ctx, who, id); err != nil {
			return purchase.Record{}, err
		}
		return purchase.Record{}, fault.New(fault.Conflict, code, "%s", message)
	}
}

func (h *Purchases) idAndBody(c echo.Context) (uuid.UUID, *input.Object, error) {
	id, err := ID(c, "id")
	if err != nil {
		return id, nil, err
	}
	body, err := input.Read(c.Request())
	return id, body, err
}

// idAndOptions is idAndBody of an action whose values may all be left out.
func idAndOptions(c echo.Context) (uuid.UUID, *input.Object, error) {
	id, err := ID(c, "id")
	if err != nil {
		return id, nil, err
	}
	body, err := input.ReadOptional(c.Request())
	return id, body, err
}

// act runs a use case that needs nothing but the id. A body may say nothing, in any of the
// ways in which the body of another action may; one that cannot be read is refused.
func (h *Purchases) act(c echo.Context, do func(context.Context, actor.Actor, uuid.UUID) (purchase.Record,
	error)) error {
	id, _, err := idAndOptions(c)
	if err != nil {
		return err
	}
	return h.answer(c, http.StatusOK, func(ctx context.Context, who actor.Actor) (purchase.Record, error) {
		return do(ctx, who, id)
	})
}

func (h *Purchases) answer(c echo.Context, status int,
	do func(context.Context, actor.Actor) (purchase.Record, error)) error {
	who := access.Actor(c)
	return Run(c, status, h.Base.PurchaseBody, func(ctx context.Context) (purchase.Record, error) { return do(ctx, who) })
}
