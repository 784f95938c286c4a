package mt940

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
)

// The fields. (SWIFT: category 9, MT940, fields 60a, 61 and 62a)
var (
	balanceForm = regexp.MustCompile(`^([CD])([0-9]{6})([A-Z]{3})([0-9]{1,15}(?:,[0-9]*)?)$`)
	entryForm   = regexp.MustCompile(
		`^([0-9]{6})([0-9]{4})?(R?[CD])([A-Z])?([0-9]{1,15}(?:,[0-9]*)?)([A-Z][A-Z0-9]{3})([^/]*(?:/[^/]+)*?)(?://(.*))?$`)
)

// types are the kinds of movements, as ISO 20022 calls them, by the codes that say more than that money moved.
var types = map[string]string{"CHG": "PMNT/MCOP/CHRG", "COM": "PMNT/MCOP/COMM", "DDT": "PMNT/IDDT/NTAV"}

// movement reads field 61: what was booked. Its text follows in field 86.
func (rd *reader) movement(lines []string) error {
	if err := rd.flush(); err != nil {
		return err
	}
	if rd.entries++; rd.entries > maxEntries {
		return unreadable("It has more than %d movements.", maxEntries)
	}
	e := rd.of
	e.Kind, e.Path, e.Status, e.Currency = exchange.OnEntry, fmt.Sprintf("e%d", rd.entries), "BOOK", rd.currency
	rd.entry = &e
	m := entryForm.FindStringSubmatch(strings.TrimSpace(lines[0]))
	if m == nil {
		e.Problem = "A movement cannot be read."
		return nil
	}
	e.ValueOn = day(m[1])
	if e.BookedOn = entryDay(e.ValueOn, m[2]); e.BookedOn.IsZero() {
		e.BookedOn, e.BookedBy = e.ValueOn, exchange.ByValueDay
	}
	e.Credit, e.Reversal = m[3] == "C" || m[3] == "RD", strings.HasPrefix(m[3], "R")
	if e.AmountCents, e.HasAmount = cents(m[5]); !e.HasAmount {
		e.Problem = "The amount of a movement cannot be read."
	}
	e.EntryCents, e.BankOwnCode, e.BankCode = e.AmountCents, m[6], types[m[6][1:]]
	e.InstructionID, e.Reference = id(m[7]), id(m[8])
	if len(lines) > 1 {
		e.Text = bank.MaskNumbers(strings.TrimSpace(strings.Join(lines[1:], " ")))
	}
	e.Raw = fmt.Appendf(nil, ":61:%s%s%s%s %s", m[1], m[2], m[3], m[5], m[6])
	return nil
}

// entryDay is the day of the year in which a movement was booked, near its value date.
func entryDay(value calendar.Date, monthDay string) calendar.Date {
	if monthDay == "" || value.IsZero() {
		return calendar.Date{}
	}
	best := calendar.Date{}
	for _, year := range []int{value.Year - 1, value.Year, value.Year + 1} {
		d, err := calendar.ParseDate(fmt.Sprintf("%04d-%s-%s", year, monthDay[:2], monthDay[2:]))
		if err == nil && (best.IsZero() || apart(d, value) < apart(best, value)) {
			best = d
		}
	}
	return best
}

func apart(a, b calendar.Date) int {
	n := a.DaysSince(b)
	return max(n, -n)
}

// words reads field 86: what the bank and the payer say. Banks that structure it put a question mark and two digits
// before each part, or a word and a plus sign.
func (rd *reader) words(lines []string) {
	if rd.entry == nil {
		return // of the statement as a whole
	}
	text := parts.ReplaceAllString(strings.Join(lines, " "), " ")
	if at := named.FindStringSubmatch(text); at != nil && rd.entry.EndToEndID == "" {
		rd.entry.EndToEndID = id(at[1])
	}
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > maxWords {
		text = string(letters[:maxWords])
	}
	rd.entry.StatementLine = text
	if masked := bank.MaskNumbers(text); !strings.Contains(rd.entry.Text, masked) {
		rd.entry.Text = strings.TrimSpace(rd.entry.Text + " " + masked)
	}
}

var (
	parts = regexp.MustCompile(`\?[0-9]{2}`)
	named = regexp.MustCompile(`\bEREF\+\s*([^\s+]+)`)
)

// id is a reference; NONREF and its like are none.
func id(text string) string {
	if text = strings.TrimSpace(text); exchange.RefersToNothing(text) {
		return ""
	}
	return text
}

// accountIn is the number of an account behind a bank's code, and without a currency.
func accountIn(text string) string {
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '/')+1:])
	if n := len(text); n > 3 && strings.ToUpper(text[n-3:]) == text[n-3:] &&
		!strings.ContainsAny(text[n-3:], "0123456789") {
		text = strings.TrimSpace(text[:n-3])
	}
	return text
}

// day reads YYMMDD of this century.
func day(text string) calendar.Date {
	d, err := calendar.ParseDate("20" + text[:2] + "-" + text[2:4] + "-" + text[4:])
	if err != nil {
		return calendar.Date{}
	}
	return d
}

// cents reads an amount with a comma, exactly.
func cents(text string) (n int64, ok bool) {
	rand, part, _ := strings.Cut(text, ",")
	if part = strings.TrimRight(part, "0"); len(part) > 2 {
		return 0, false
	}
	for len(part) < 2 {
		part += "0"
	}
	n, err := strconv.ParseInt(rand+part, 10, 64)
	return n, err == nil
}

func whole(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
