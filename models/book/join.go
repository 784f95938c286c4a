package book

import (
	"fmt"
	"slices"
	"strings"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/book/source"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// contents is a whole file with what its columns mean.
type contents struct {
	header  []string
	mapping Mapping
	report  source.Report
	rows    []sheet.Row
}

// loaded reads a whole file.
func loaded(extra Extra) (t contents, err error) {
	file, err := source.Open(extra.Content, extra.Told)
	if err != nil {
		return t, naming(extra, err)
	}
	defer func() { _ = file.Close() }()
	t, err = contentsOf(file)
	return t, naming(extra, err)
}

// mostCells is how many cells a file may have that is held whole.
const mostCells = 4_000_000

func contentsOf(file *source.File) (t contents, err error) {
	survey, cells := NewSurvey(len(file.Format.Header)), 0
	err = file.Each(func(r sheet.Row) error {
		if cells += len(r.Cells); cells > mostCells {
			return fault.New(fault.TooLarge, "file_too_large", "A file that is joined with another may have 4 million cells. "+
				"Leave out the columns that are not needed.")
		}
		survey.See(r.Cells, r.Numbers...)
		t.rows = append(t.rows, r)
		return nil
	})
	t.header, t.report = file.Format.Header, file.Report
	if t.mapping = survey.Guess(file.Format); file.Report.Known() {
		t.mapping = written(survey.Written(file.Format, survey.meant(*file)), file.Columns)
	}
	return t, err
}

// naming says which of several files a fault is about.
func naming(extra Extra, err error) error {
	if f, is := fault.From(err); is && err != nil {
		return fault.New(f.Kind, f.Code, "%s: %s", shortName(extra.Name), f.Words())
	}
	return err
}

func cellAt(r sheet.Row, n int) string {
	if n < 0 || n >= len(r.Cells) {
		return ""
	}
	return Tidy(r.Cells[n])
}

func isAside(r sheet.Row) bool {
	return slices.ContainsFunc(r.Broken, func(p sheet.Problem) bool { return p.Code == source.Aside })
}

// together puts the files of an upload into one: the columns of the others are joined to the rows of the first by a
// key, and debits that the old system plans follow as rows that are no clients. One file alone stays as it is.
func together(first *source.File, in Upload) (*source.File, error) {
	if len(in.With) == 0 && len(in.Planned) == 0 {
		return first, nil
	}
	all, err := contentsOf(first)
	if err != nil {
		return first, err
	}
	report := all.report
	for _, extra := range in.With {
		other, err := loaded(extra)
		if err != nil {
			return first, err
		}
		with, err := all.join(extra, other)
		if err != nil {
			return first, err
		}
		report.With = append(report.With, with)
	}
	for _, extra := range in.Planned {
		rows, with, err := planned(extra, all.next(), len(all.header))
		if err != nil {
			return first, err
		}
		all.rows = append(all.rows, rows...)
		report.With = append(report.With, with)
	}
	format := first.Format
	format.Header = all.header
	return source.Made(format, all.columns(), report, func(see func(sheet.Row) error) error {
		for _, r := range all.rows {
			if err := see(r); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// columns are the columns of a table with what they mean.
func (t contents) columns() []source.Column {
	out := make([]source.Column, len(t.header))
	for n, name := range t.header {
		of := t.mapping.Columns[n]
		out[n] = source.Column{Name: name, Means: source.Meaning(of.Field), Decimal: of.Decimal, Dates: of.Dates,
			Guessed: of.Guessed}
	}
	return out
}

// next is the number behind which the rows of another file are counted: they keep their own last digits.
func (t contents) next() int {
	last := 0
	for _, r := range t.rows {
		last = max(last, r.Number)
	}
	return (last/1000 + 1) * 1000
}

// keyWith is the field by which two tables are joined, and where each has it. A name is never a key.
func (t contents) keyWith(other contents) (key Field, here, there int) {
	if other.report.OnlyJoins && t.mapping.Has(OldMandate) {
		return OldMandate, t.mapping.Column(OldMandate), other.mapping.Column(Reference)
	}
	for _, f := range keys {
		if t.mapping.Has(f) && other.mapping.Has(f) {
			return f, t.mapping.Column(f), other.mapping.Column(f)
		}
	}
	return "", -1, -1
}

// join adds the columns of another contents to the rows with the same key. Rows without such a row follow, and count.
func (t *contents) join(extra Extra, other contents) (with source.With, err error) {
	name := shortName(extra.Name)
	key, here, there := t.keyWith(other)
	if key == "" {
		return with, fault.At("with", "no_key", "%s has no column by which its rows find those of the first file: our "+
			"client id, your reference, the ID number or the e-mail address. A name is not enough.", name)
	}
	label := inSentence(key.Label())
	with = source.With{File: name, Key: label, Report: other.report}
	first := t.next()
	places := t.widen(name, other, there)
	if len(t.header) > sheet.MaxColumns {
		return with, fault.New(fault.TooLarge, "too_many_columns", "The files have more than %d columns together.",
			sheet.MaxColumns)
	}
	at := map[string][]int{}
	for n, r := range t.rows {
		if value := alike(key, cellAt(r, here)); value != "" && !isAside(r) {
			at[value] = append(at[value], n)
		}
		for len(t.rows[n].Cells) < len(t.header) {
			t.rows[n].Cells = append(t.rows[n].Cells, "")
		}
	}
	met, alone := map[string]int{}, []sheet.Row{}
	items := other.mapping.Has(OwedAmount)
	for _, r := range other.rows {
		value := alike(key, cellAt(r, there))
		before, twice := met[value]
		partners := at[value]
		why := fmt.Sprintf("row %d of %s: no row of the first file has this %s", r.Number, name, label)
		switch {
		case isAside(r):
			why = fmt.Sprintf("row %d of %s: %s", r.Number, name, r.Broken[0].Message)
		case value == "":
			why = fmt.Sprintf("row %d of %s has no %s", r.Number, name, label)
		case twice && len(partners) == 1 && items:
			with.Joined++
			alone = append(alone, t.adding(first+r.Number, t.rows[partners[0]], r, places))
			t.report.Several = true
			continue
		case twice && len(partners) > 0:
			why = fmt.Sprintf("row %d of %s: row %d has the same %s already", r.Number, name, before, label)
		case len(partners) > 1:
			why = fmt.Sprintf("row %d of %s: %s of the first file have this %s", r.Number, name,
				plural.Of(len(partners), "row"), label)
		case len(partners) == 1:
			met[value] = r.Number
			with.Joined++
			t.rows[partners[0]] = joined(t.rows[partners[0]], r, places)
			continue
		}
		with.Alone++
		lone := joined(sheet.Row{Number: first + r.Number, Cells: make([]string, len(t.header))}, r, places)
		lone.Cells[here] = cellAt(r, there)
		lone.Broken = []sheet.Problem{{Code: source.Aside, Message: why}}
		alone = append(alone, lone)
	}
	t.rows = append(t.rows, alone...)
	return with, nil
}

// identifying are the fields that say who a client is: a row that adds to one repeats them.
var identifying = []Field{ClientID, Reference, FullName, Surname, Identity, Email, GroupOf}

// adding is a row with another open item of the client of a row.
func (t *contents) adding(n int, of, with sheet.Row, places []int) sheet.Row {
	r := sheet.Row{Number: n, Cells: make([]string, len(t.header))}
	for _, f := range identifying {
		if at := t.mapping.Column(f); at >= 0 && at < len(of.Cells) {
			r.Cells[at] = of.Cells[at]
		}
	}
	r = joined(r, with, places)
	r.Broken = append(r.Broken, sheet.Problem{Code: source.More, Message: "another open item of the same client"})
	return r
}

// inSentence is a label within a sentence: its first letter is small, unless the word is an abbreviation.
func inSentence(label string) string {
	if len(label) > 1 && label[1] >= 'A' && label[1] <= 'Z' {
		return label
	}
	return strings.ToLower(label[:1]) + label[1:]
}

// widen adds the columns of another contents but its key, and says where each is. What a column means counts once.
func (t *contents) widen(name string, other contents, key int) (places []int) {
	places = make([]int, len(other.header))
	taken := t.mapping
	for n, head := range other.header {
		if places[n] = -1; n == key {
			continue
		}
		of := other.mapping.Columns[n]
		if taken.Has(of.Field) {
			of.Field = ""
		}
		if head == "" {
			head = LetterOf(n)
		}
		if slices.Contains(t.header, head) {
			head += " (" + name + ")"
		}
		places[n] = len(t.header)
		t.header = append(slices.Clone(t.header), head)
		taken.Columns = append(slices.Clone(taken.Columns), of)
	}
	t.mapping = taken
	return places
}

// joined puts the cells of a row behind those of another.
func joined(row, with sheet.Row, places []int) sheet.Row {
	row.Cells, row.Numbers, row.Broken = slices.Clone(row.Cells), slices.Clone(row.Numbers), slices.Clone(row.Broken)
	for n, place := range places {
		if place < 0 || n >= len(with.Cells) {
			continue
		}
		row.Cells[place] = with.Cells[n]
		if slices.Contains(with.Numbers, n) {
			row.Numbers = append(row.Numbers, place)
		}
	}
	for _, p := range with.Broken {
		if p.Column > 0 && p.Column <= len(places) {
			p.Column = places[p.Column-1] + 1
		}
		row.Broken = append(row.Broken, p)
	}
	return row
}
