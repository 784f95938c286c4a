package static_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"debitdesk/static"
)

// TestThePlanForTenMillionClientsIsComputedFromItsUnitCosts redoes the products in the
// tables: rows and bytes give gigabytes, units and a rate give hours.
func TestThePlanForTenMillionClientsIsComputedFromItsUnitCosts(t *testing.T) {
	text, err := static.Manual.ReadFile("manual/plan.md")
	if err != nil {
		t.Fatal(err)
	}
	kind, checked := "", 0
	for line := range strings.SplitSeq(string(text), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if len(cells) != 4 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if last := cells[3]; last == "GB" || last == "Hours" {
			kind = last
			continue
		}
		a, okA := number(cells[1])
		b, okB := number(cells[2])
		got, err := strconv.ParseFloat(cells[3], 64)
		if !okA || !okB || err != nil {
			continue
		}
		want := a * b / 1e9
		if kind == "Hours" {
			want = a / b / 3600
		}
		if checked++; math.Abs(got-want) > 0.0501 {
			t.Errorf("%s: %s × %s is %.1f, not %s", cells[0], cells[1], cells[2], want, cells[3])
		}
	}
	if checked < 15 {
		t.Errorf("only %d products were found", checked)
	}
}

func number(cell string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.ReplaceAll(cell, " ", ""), 64)
	return n, err == nil
}
