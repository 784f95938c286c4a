package source

import (
	"slices"
	"strings"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/money"
)

// stitchCollections is the file of debits that a Stitch merchant sends: records P, H, D and T, each below a heading of
// its own. (Stitch: public samples)
var stitchCollections = layout{key: "stitch_collections", name: "Stitch collection file", is: isStitch,
	walk: func() walker { return &stitch{} }}

func isStitch(first []sheet.Row) bool {
	return len(first) > 0 && strings.EqualFold(cell(first[0], 0), "RECORD_TYPE")
}

// stitchMeanings are the headings of D that are known. The reference of the contract is that of the client, too.
var stitchMeanings = map[string]Meaning{"CONTRACT_REFERENCE": Reference, "DEBTOR_NAME": FullName,
	"DEBTOR_ACCOUNT_NUMBER": Account, "DEBTOR_BRANCH_CODE": Branch, "DEBTOR_ACCOUNT_TYPE": Type, "VALUE": Amount,
	"COLLECTION_DATE": LastDebit}

// stitchKnown are headings of D that mean nothing here.
var stitchKnown = []string{"NONCE", "EXTERNAL_COLLECTION_REFERENCE", "CONSENT_ID", "TRACKING_PERIOD"}

type stitch struct {
	Report    Report
	heads     []string // of the records that follow
	columns   []Column
	at        map[string]int // of D
	debiCheck bool
	closed    bool

	records, cents, tracked, trackedCents int64
}

func (s *stitch) found() ([]Column, Report) {
	r := s.Report
	r.Rows, r.OnlyJoins, r.Collects = int(s.records), s.debiCheck, !s.debiCheck
	r.Limits = []string{"A collection file says nothing about how often: each debit is taken as monthly. It holds no " +
		"signing dates."}
	if s.debiCheck {
		r.Limits = []string{"A DebiCheck file holds no names and no bank accounts: its rows only find clients who have the " +
			"same contract reference here. DebiCheck mandates have to be confirmed again."}
	}
	return s.columns, r
}

func (s *stitch) line(r sheet.Row) (sheet.Row, bool, error) {
	if blank(r) {
		return r, false, nil
	}
	switch strings.ToUpper(cell(r, 0)) {
	case "RECORD_TYPE":
		s.heads = nil
		for n := range r.Cells {
			s.heads = append(s.heads, strings.ToUpper(cell(r, n)))
		}
		return r, false, s.debits()
	case "P":
		s.product(r)
		return r, false, nil
	case "H":
		if name := mention(s.value(r, "EXTERNAL_BATCH_REFERENCE")); name != "" {
			s.Report.told("batch %s", name)
		}
		if at := mention(s.value(r, "SUBMISSION_DATETIME")); at != "" {
			s.Report.told("submitted %s", at)
		}
		return r, false, nil
	case "D":
		return s.debit(r)
	case "T":
		s.trailer(r)
		return r, false, nil
	}
	return s.Report.unknown(r)
}

// value is what a record has below a heading of its own.
func (s *stitch) value(r sheet.Row, head string) string { return cell(r, slices.Index(s.heads, head)) }

func (s *stitch) product(r sheet.Row) {
	if s.value(r, "CLIENT_ID") != "" {
		s.Report.drop("client id of Stitch")
	}
	channel := s.value(r, "CHANNEL")
	if strings.EqualFold(channel, "DEBICHECK") {
		s.debiCheck = true
	}
	if channel = mention(channel); channel != "" {
		s.Report.told("channel %s", channel)
	}
}

// debits takes the heading of the debits, which no other record shares.
func (s *stitch) debits() error {
	if !slices.Contains(s.heads, "VALUE") {
		return nil
	}
	if s.columns != nil {
		return refuse("stitch_two", "The file has two headings of debits: it is more than one Stitch file. Upload each "+
			"alone.")
	}
	s.at = map[string]int{}
	for n, head := range s.heads[1:] {
		c := Column{Name: mention(head), Means: stitchMeanings[head]}
		if head == "VALUE" {
			c = rands(head)
		}
		if _, twice := s.at[head]; twice {
			c.Means = ""
		} else {
			s.at[head] = n
		}
		if c.Means == "" && !slices.Contains(stitchKnown, head) {
			s.Report.Unknown = append(s.Report.Unknown, c.Name)
		}
		s.columns = append(s.columns, c)
	}
	_, account := s.at["DEBTOR_ACCOUNT_NUMBER"]
	if s.debiCheck = s.debiCheck || !account; s.debiCheck {
		for n := range s.columns { // it finds clients by their mandates, and changes nothing of them
			if m := s.columns[n].Means; m == Amount || m == LastDebit {
				s.columns[n].Means = ""
			}
		}
	}
	return nil
}

func (s *stitch) debit(r sheet.Row) (sheet.Row, bool, error) {
	switch {
	case s.columns == nil:
		return r, false, refuse("stitch_heading", "The file has a debit before the heading that names its fields.")
	case s.closed:
		return s.Report.aside(r, "after the T record", "the line comes after the T record, which ends the file")
	}
	s.records++
	row := sheet.Row{Number: r.Number, Cells: slices.Clone(r.Cells[1:]), Broken: slices.Clone(r.Broken)}
	fit(&row, len(s.columns))
	at := s.at["VALUE"]
	cents, exact := centsIn(cell(row, at))
	if !exact {
		unfit(&row, at, "expected rands with a point, such as 649.00")
		return row, true, nil
	}
	row.Cells[at] = money.Plain(cents)
	s.cents = money.Plus(s.cents, cents)
	if days, is := s.at["TRACKING_PERIOD"]; is {
		if n, ok := whole(cell(row, days)); ok && n > 0 {
			s.tracked, s.trackedCents = s.tracked+1, money.Plus(s.trackedCents, cents)
		}
	}
	return row, true, nil
}

// trailer holds the T record against the debits.
func (s *stitch) trailer(r sheet.Row) {
	if s.closed {
		s.Report.warn("The file has two T records: the first ends it.")
		return
	}
	s.closed = true
	for _, one := range []struct {
		head, what string
		found      int64
		money      bool
	}{{"TOTAL_RECORDS", "rows", s.records, false}, {"TOTAL_VALUE", "sum", s.cents, true},
		{"TOTAL_TRACKING_RECORDS", "tracked rows", s.tracked, false},
		{"TOTAL_TRACKING_VALUE", "sum of tracked rows", s.trackedCents, true}} {
		text := s.value(r, one.head)
		if text == "" {
			continue
		}
		says, ok := whole(text)
		if one.money {
			says, ok = centsIn(text)
		}
		switch {
		case !ok:
			s.Report.warn("The T record of the file has a %s that cannot be read.", one.what)
		case one.money:
			s.Report.cents(one.what, says, one.found)
		default:
			s.Report.count(one.what, says, one.found)
		}
	}
}

func (s *stitch) end() error {
	switch {
	case s.columns == nil:
		return refuse("stitch_heading", "The file begins as a Stitch file and has no heading of debits. An answer of Stitch "+
			"(REPLY, OUTPUT) cannot be brought in: choose the file that you sent.")
	case s.records == 0:
		return refuse("empty_file", "The Stitch file has no debits: records that begin with D.")
	case !s.closed:
		s.Report.warn("The file has no T record: it may have been cut short.")
	}
	return nil
}
