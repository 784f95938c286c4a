package kit

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/fault"
	"debitdesk/views/components"
)

// ToRequest leads to the request that was made.
func ToRequest(c echo.Context, a approval.Approval) error {
	return access.RedirectWithFlash(c, "ok", "A second approver was asked. Everyone who can approve gets a mail.",
		words.ApprovalPath(a.ID))
}

// ReasonField asks why, for the person who decides.
func ReasonField(value, wrong string) *components.Textarea {
	return &components.Textarea{Label: "Reason, for the second approver", Name: "reason", Value: value, Error: wrong,
		Required: true, Rows: 3, MaxLength: 1000}
}

// UploadPatience is how long 20 MB may take on a slow line; the limits of the server are made for pages.
const UploadPatience = 10 * time.Minute

// Patient gives the connection that long, for a file on a slow line.
func Patient(c echo.Context, wait time.Duration) {
	control, until := http.NewResponseController(c.Response()),
		time.Now().Add(wait) // the clock of the connection, not the product's
	_ = control.SetReadDeadline(until) // in tests there is no connection
	_ = control.SetWriteDeadline(until)
}

// UploadMemory is how much of a file is held in memory; the rest waits on disk.
const UploadMemory = 1 << 20

// MostUpload is the largest table that can be uploaded, in bytes. A larger one arrives cut off above it.
const MostUpload = 20 << 20

// TooLargeFile is what is said of a larger one.
const TooLargeFile = "The file is larger than 20 MB. Split it into several files."

// StatusOf is 422 or 409 for a page that shows a refusal.
func StatusOf(refused error) int {
	switch {
	case refused == nil:
		return http.StatusOK
	case fault.Is(refused, fault.Conflict):
		return http.StatusConflict
	}
	return http.StatusUnprocessableEntity
}

// MayShow tells whether a refusal is shown on the page that caused it.
func MayShow(err error) bool { return fault.Is(err, fault.Invalid) || fault.Is(err, fault.Conflict) }

// AskAgain shows a form once more whose input was refused, or leads to where the thing is, with the reason, when an act
// came too late. Any other error is given back.
func AskAgain(c echo.Context, refused error, to string, again func() error) error {
	if _, _, shown := Problems(refused); shown {
		return again()
	}
	return GoBack(c, refused, to)
}

// GoBack leads to where the thing is, with the reason, when an act came too late. Any other error is given back.
func GoBack(c echo.Context, refused error, to string) error {
	if f, known := fault.From(refused); known && f.Kind == fault.Conflict {
		return access.RedirectWithFlash(c, "bad", f.Message, to)
	}
	return refused
}

// WhyNotDelete says why a person cannot delete tokens; "" means that they can.
func WhyNotDelete(who actor.Actor) string {
	if who.Can(actor.DeleteTokens) {
		return ""
	}
	return "Only an admin can delete tokens."
}
