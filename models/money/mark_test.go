package money_test

import (
	"errors"
	"testing"

	"debitdesk/models/money"
)

func TestAKnownMarkSettlesWhatOneAmountCannot(t *testing.T) {
	for _, c := range []struct {
		text string
		mark money.Mark
		want int64
		err  error
	}{
		{"1,234", money.Unmarked, 0, money.ErrAmbiguous},
		{"1,234", money.PointMark, 123400, nil},
		{"1,234", money.CommaMark, 0, money.ErrDecimals},
		{"1.234", money.CommaMark, 123400, nil},
		{"R 1.234", money.PointMark, 0, money.ErrDecimals},
		{"1.234,50", money.Unmarked, 123450, nil},
		{"1.234.567", money.Unmarked, 123456700, nil},
		{"-1,234", money.PointMark, -123400, nil},
		{"12,50", money.PointMark, 1250, nil}, // clear whatever the column says: groups have three digits
	} {
		got, err := money.ParseMarked(c.text, c.mark)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q with %q: %d, %v, want %d, %v", c.text, c.mark, got, err, c.want, c.err)
		}
	}
}

func TestAnAmountShowsItsMark(t *testing.T) {
	for text, want := range map[string]money.Mark{
		"1 234,50": ",", "1234.5": ".", "R1,234.50": ".", "1.234,50": ",", "1,234,567": ".", "1.234.567": ",", "0,125": ",",
		"1,234": "", "12": "", "": "", "none": "", "1 234": "",
	} {
		if got := money.MarkIn(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestQuantitiesKeepTheirDecimals(t *testing.T) {
	for _, c := range []struct {
		text string
		mark money.Mark
		want string
		err  error
	}{
		{"1,5", "", "1.5", nil},
		{"15 %", "", "15", nil},
		{"1 234,5", "", "1234.5", nil},
		{"1,234.5", "", "1234.5", nil},
		{"1.234,5", "", "1234.5", nil},
		{"1.234", ".", "1.234", nil},
		{"1.234", ",", "1234", nil},
		{"1.234", "", "", money.ErrAmbiguous},
		{"0.125", "", "0.125", nil},
		{"-2", "", "-2", nil},
		{"1e9", "", "", money.ErrUnread},
		{"1 23", "", "", money.ErrUnread},
		{"", "", "", money.ErrEmpty},
	} {
		got, err := money.PlainNumber(c.text, c.mark)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q with %q: %q, %v, want %q, %v", c.text, c.mark, got, err, c.want, c.err)
		}
	}
}
