package multiply

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestMarksOfATextDifferFromCopyToCopyAndNothingElseDoes(t *testing.T) {
	t.Parallel()
	id, person := uuid.MustParse("01a1c474-042c-7fde-9f74-c87d98b60228"), uuid.MustParse(
		"01a14d7d-01c9-7fd2-905d-8c1e4b078662",
	)
	f := &filling{until: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), ids: map[uuid.UUID]class{person: fixed},
		steps:  map[string]int64{"member": 1000, "purchase": 200, "contract": 100, "INV": 6},
		issued: map[string]day{"INV-2026-000002": dayOf(time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC))}}
	second := copyOf{k: 2, days: 30}
	for text, want := range map[string]string{
		"Nothing to change on 2026-11-05.":     "Nothing to change on 2026-10-06.",
		"KSF-1024, KSF12 and KSF0000000023":    "KSF-3024, KSF412 and KSF0000000223",
		"INV-2026-000002.pdf":                  "INV-2025-000014.pdf",
		"to sipho.smit@example.com":            "to sipho.smit.2@example.com",
		"accounts@kloofstreet.example":         "accounts@kloofstreet.example",
		`{"at": "2026-11-16T07:55:00.048Z"}`:   `{"at": "2026-10-17T07:55:00.048Z"}`,
		`{"due": "2026-11-27T10:00:00Z"}`:      `{"due": "2026-11-27T10:00:00Z"}`, // ahead
		`{"day": "2026-12-01"}`:                `{"day": "2026-12-01"}`,
		"by " + person.String():                "by " + person.String(),
		"0821234567 is no phone as it is kept": "0821234567 is no phone as it is kept",
	} {
		pieces := f.pieces(text, true)
		if got := string(joined(pieces, second)); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
		if got := string(joined(pieces, copyOf{})); got != text {
			t.Errorf("what was there changed: %q became %q", text, got)
		}
	}
	words := string(joined(f.words(`'1024' '0144' 'ksf' 'ksf-1024' 'ksf12'`), second))
	if want := `'3024' '0144' 'ksf' 'ksf-3024' 'ksf412'`; words != want {
		t.Errorf("words of a search: %s, not %s", words, want)
	}

	moved := identity{id, copied}.of(second)
	if again := (identity{id, copied}).of(second); moved != again || moved == id || moved.Version() != 7 {
		t.Errorf("an id of a copy: %s, %s", moved, again)
	}
	was, now := time.Unix(id.Time().UnixTime()), time.Unix(moved.Time().UnixTime())
	if was.Sub(now) != 30*24*time.Hour {
		t.Errorf("an id moved from %s to %s", was, now)
	}
	if string(joined(f.pieces("is "+id.String(), false), second)) != "is "+moved.String() {
		t.Error("an id in a text is another than the row's")
	}
	neighbour := copyOf{k: 2, days: 30, neighbour: true}
	if (identity{id, copied}).of(neighbour) == moved {
		t.Error("the neighbour has the same id")
	}
}

func TestCopiesAreSpreadEvenlyOverTheYears(t *testing.T) {
	t.Parallel()
	const times = 4000
	months := map[int]int{}
	for k := range times {
		d := daysBack(k, times)
		if d < 0 || d > backTo || k > 0 && d < daysBack(k-1, times) {
			t.Fatalf("copy %d moves back by %d days", k, d)
		}
		if d > 0 {
			months[(d-1)/30]++
		}
	}
	if daysBack(0, times) != 0 || daysBack(times-1, times) < backTo-1 {
		t.Errorf("the first copies move by %d and the last by %d days", daysBack(0, times), daysBack(times-1, times))
	}
	for m, n := range months {
		if m < backTo/30 && (n < 100 || n > 115) {
			t.Errorf("month %d has %d copies", m, n)
		}
	}
}

func TestALongRowIsMergedToFewPieces(t *testing.T) {
	t.Parallel()
	f := &filling{}
	if got := f.pieces(strings.Repeat("nothing to change ", 100), false); len(got) != 1 {
		t.Errorf("%d pieces", len(got))
	}
}
