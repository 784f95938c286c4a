package main

import (
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// pictures is the folder for the pictures of the README and the manual; empty takes none.
var pictures = os.Getenv("DEBITDESK_SCREENSHOTS")

// album are the looks that they show, and how high each is in pixels.
var album = map[string]struct {
	file   string
	height int64
}{
	"client-1280-light":               {"client.png", 800},
	"account-new-1280-light":          {"store-account.png", 900},
	"payer-390-light":                 {"payer-phone.png", 1000},
	"purchase-new-1280-light":         {"charge.png", 1900},
	"purchase-waiting-1280-light":     {"scheduled.png", 800},
	"sandbox-clock-1280-light":        {"clock.png", 720},
	"purchase-paid-1280-light":        {"collected.png", 860},
	"purchase-unpaid-1280-light":      {"returned.png", 800},
	"mandate-live-1280-light":         {"mandate-live.png", 560},
	"mandate-no-answer-1280-light":    {"mandate-no-answer.png", 620},
	"mandate-new-1280-light":          {"mandate-new.png", 1560},
	"phone-1280-light":                {"phone.png", 900},
	"mandate-active-1280-light":       {"mandate-active.png", 1100},
	"amendment-take-over-1280-light":  {"amendment.png", 1180},
	"batch-new-1280-light":            {"batch-new.png", 1060},
	"batch-map-1280-light":            {"batch-map.png", 980},
	"batch-check-1280-light":          {"batch-check.png", 860},
	"batch-review-1280-light":         {"batch-review.png", 980},
	"batch-run-1280-light":            {"batch-run.png", 620},
	"batch-result-1280-light":         {"batch-result.png", 560},
	"import-map-1280-light":           {"import-map.png", 1100},
	"import-check-1280-light":         {"import-check.png", 1000},
	"import-rehearsal-1280-light":     {"import-rehearsal.png", 900},
	"import-groups-1280-light":        {"import-groups.png", 700},
	"bank-waiting-1280-light":         {"bank-files.png", 1100},
	"bank-refused-1280-light":         {"bank-refused.png", 640},
	"bank-file-1280-light":            {"bank-file.png", 1100},
	"bank-match-1280-light":           {"bank-match.png", 760},
	"bank-days-all-1280-light":        {"bank-days.png", 1000},
	"queue-1280-light":                {"queue.png", 760},
	"list-display-1280-light":         {"list-display.png", 700},
	"list-view-1280-light":            {"list-view.png", 560},
	"purchases-ticked-1280-light":     {"ticked.png", 560},
	"rehearsal-1280-light":            {"rehearsal.png", 700},
	"palette-1280-light":              {"palette.png", 640},
	"planner-month-1280-light":        {"calendar.png", 900},
	"reports-as-of-1280-light":        {"reports-as-of.png", 620},
	"demo-home-1280-light":            {"home.png", 1040},
	"demo-home-1280-dark":             {"home-dark.png", 800},
	"demo-purchases-1280-light":       {"purchases.png", 700},
	"demo-template-new-1280-light":    {"template-new.png", 1240},
	"demo-first-templates-1280-light": {"template.png", 1000},
	"demo-events-1280-light":          {"events.png", 760},
	"demo-reference-1280-light":       {"reference.png", 900},
	"demo-roles-1280-light":           {"roles.png", 980},
	"demo-audit-1280-light":           {"audit.png", 900},
	"demo-approvals-1280-light":       {"approvals.png", 900},
	"demo-simulator-1280-light":       {"simulator.png", 1000},
}

// picture keeps what the window shows when the album wants it. It leaves the
// window as high as the picture.
func (b *tab) picture(look string, width int64) {
	b.t.Helper()
	want, wanted := album[look]
	if pictures == "" || !wanted {
		return
	}
	var png []byte
	b.do("take a picture", chromedp.EmulateViewport(width, want.height), chromedp.CaptureScreenshot(&png))
	if err := os.MkdirAll(pictures, 0o755); err != nil { //nolint:gosec // pictures are for everybody
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pictures, want.file), png, 0o644); err != nil { //nolint:gosec // likewise
		b.t.Fatal(err)
	}
}
