package source

import (
	"slices"
	"strings"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/money"
)

// entry reads a T line.
func (m *master) entry(r sheet.Row) (sheet.Row, bool, error) {
	switch {
	case m.keys == nil:
		return r, false, refuse("netcash_keys", "The file has a T line before its K line, so it is not known what its "+
			"fields are.")
	case m.closed:
		return m.Report.aside(r, "after the F line", "the line comes after the F line, which ends the file")
	}
	m.entries++
	row := sheet.Row{Number: r.Number, Cells: slices.Clone(r.Cells[1:]), Broken: slices.Clone(r.Broken)}
	fit(&row, len(m.keys))
	for _, key := range []string{"161", "162"} {
		m.amount(&row, key)
	}
	if at, is := m.at["137"]; is && row.Cells[at] != "" {
		row.Cells[at] = ""
		m.Report.drop("card numbers")
	}
	if m.has("131") && cell(row, m.at["131"]) == "2" {
		m.card(&row)
	}
	if at, is := m.at["250"]; is {
		unit, day, _ := strings.Cut(row.Cells[at], "_")
		row.Cells = append(row.Cells, strings.TrimSpace(unit), strings.TrimSpace(day))
	}
	if m.action != "" {
		row.Cells = append(row.Cells, m.action)
	}
	if m.has("104") && cell(row, m.at["104"]) == "1" {
		aside, _, _ := m.Report.aside(r, "marked for deletion", "the entry is marked for deletion at Netcash")
		row.Broken = aside.Broken
	}
	return row, true, nil
}

// amount turns whole cents into rands.
func (m *master) amount(row *sheet.Row, key string) {
	at, is := m.at[key]
	text := cell(*row, at)
	if !is || text == "" {
		return
	}
	cents, ok := whole(text)
	if !ok {
		unfit(row, at, "expected whole cents, such as 64900")
		return
	}
	if m.sums == nil {
		m.sums = map[string]int64{}
	}
	m.sums[key], row.Cells[at] = money.Plus(m.sums[key], cents), money.Plain(cents)
}

// card takes out what an entry says of a card.
func (m *master) card(row *sheet.Row) {
	for _, key := range []string{"133", "134", "136"} {
		if at, is := m.at[key]; is {
			row.Cells[at] = ""
		}
	}
	m.Report.drop("card numbers")
	row.Broken = append(row.Broken, sheet.Problem{Column: m.at["131"] + 1, Code: Card,
		Message: "it is debited by card, which cannot be brought in"})
}
