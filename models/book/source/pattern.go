package source

import (
	"strings"

	"debitdesk/models/money"
)

// Pattern is a template of subscriptions that a file tells whole. Amounts are cents.
type Pattern struct {
	Title        string `json:"title"`
	Period       int    `json:"period"`
	Units        string `json:"units"`
	DuePeriod    int    `json:"due_period"`
	DueUnits     string `json:"due_units"`
	ChargeAtEnd  bool   `json:"charge_at_end,omitempty"`
	TrialPeriods int    `json:"trial_periods,omitempty"`
	Cycles       int    `json:"cycles,omitempty"` // 0: no end
	Notes        string `json:"notes,omitempty"`
	Lines        []Line `json:"lines"`
}

// Whole tells that a template can be made from it.
func (p Pattern) Whole() bool {
	within := func(n, least int) bool { return n >= least && n <= 256 }
	return p.Title != "" && len(p.Lines) > 0 && within(p.Period, 1) && within(p.DuePeriod, 1) &&
		within(p.TrialPeriods, 0) && within(p.Cycles, 0)
}

// Line is a product of a pattern.
type Line struct {
	Name     string `json:"name"`
	Cents    int64  `json:"cents"`
	Quantity string `json:"quantity"`
	Discount int64  `json:"discount,omitempty"`
	Tax      string `json:"tax,omitempty"`
	Category string `json:"category,omitempty"`
	Total    *int64 `json:"total,omitempty"`
}

// mostPatterns is how many templates of a book are kept with its import.
const mostPatterns = 500

// patterns keeps the templates of a book, so that they come in as they were.
func (b *book) patterns(templates, lines []record) {
	of := map[string][]Line{}
	for _, l := range lines {
		one := Line{Name: plainText(l.cells["product"]), Quantity: l.cells["quantity"], Tax: l.cells["tax_percent"],
			Category: plainText(l.cells["category"]), Cents: inCents(l.cells["price"]), Discount: inCents(l.cells["discount"])}
		if text := l.cells["total_override"]; text != "" {
			cents := inCents(text)
			one.Total = &cents
		}
		id := l.cells["template_id"]
		of[id] = append(of[id], one)
	}
	for _, t := range templates {
		if t.cells["deleted_at"] != "" || t.cells["is_subscription"] != "yes" || len(b.report.Patterns) == mostPatterns {
			continue
		}
		count := func(name string) int {
			n, _ := whole(t.cells[name])
			return int(n)
		}
		b.report.Patterns = append(b.report.Patterns, Pattern{Title: plainText(t.cells["template"]),
			Period: count("period"), Units: t.cells["period_units"], DuePeriod: count("due_period"),
			DueUnits: t.cells["due_units"], ChargeAtEnd: t.cells["charge_at_end"] == "yes",
			TrialPeriods: count("trial_periods"), Cycles: count("cycles"), Notes: plainText(t.cells["notes"]),
			Lines: of[t.cells["template_id"]]})
	}
}

// inCents reads an amount of a book; what is none is nothing.
func inCents(text string) int64 {
	cents, err := money.ParseMarked(text, money.PointMark)
	if err != nil {
		return 0
	}
	return cents
}

// plainText is a text without the apostrophe that guards what looks like a formula.
func plainText(text string) string {
	if len(text) > 1 && text[0] == '\'' && strings.ContainsRune("=+-@\t\r", rune(text[1])) {
		return text[1:]
	}
	return text
}
