package reports

import (
	"cmp"
	"strconv"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/analysis"
	"debitdesk/models/collection"
	"debitdesk/models/estimate"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// mostGroups is how many rows a table of groups has.
const mostGroups = 25

// grouping is one way to sort debits by what they have in common. Of names a group, and says how its debits are found
// in the list.
type grouping struct {
	title, head, sub string
	groups           []analysis.Group
	most             bool // those with the most answers come first, and are enough
	of               func(analysis.Group) (name, key, value string)
}

func (d drawer) groupings() []grouping {
	return []grouping{
		{"By weekday", "Weekday", "", d.Weekdays, false, func(g analysis.Group) (string, string, string) {
			return g.Weekday.String(), "weekday", strconv.Itoa((int(g.Weekday)+6)%7 + 1)
		}},
		{"By day of the month", "Day", "", d.Days, false, func(g analysis.Group) (string, string, string) {
			return strconv.Itoa(g.Day), "month_day", strconv.Itoa(g.Day)
		}},
		{"By method", "Method", "", d.Methods, false, func(g analysis.Group) (string, string, string) {
			return words.Method(g.Method), "method", string(g.Method)
		}},
		{"By brand", "Brand", "", d.Brands, false, func(g analysis.Group) (string, string, string) {
			return d.brandName(g.BrandID), "brand", g.BrandID.String()
		}},
		{"By bank", "Bank", "", d.Banks, true, func(g analysis.Group) (string, string, string) {
			return cmp.Or(words.BankWords(g.Value), "Erased with the client"), "bank", cmp.Or(g.Value, purchase.Without)
		}},
		{"By template", "Template", "", d.Templates, true, func(g analysis.Group) (string, string, string) {
			if g.Value == "" {
				return "Without a template", "template", purchase.Without
			}
			return cmp.Or(d.templates[g.Value], "Another template"), "template", g.Value
		}},
		{"By age of the mandate", "Age", "On the debit date. The first debit is the first one planned under the mandate. ",
			d.Ages, false, func(g analysis.Group) (string, string, string) {
				return words.MandateAge(collection.Age(g.Value)), "age", g.Value
			}},
	}
}

func (d drawer) brandName(id uuid.UUID) string {
	for _, b := range d.brands {
		if b.ID == id {
			return b.Name
		}
	}
	return "Another brand"
}

// tables compare groups, where there is more than one to compare.
func (d drawer) tables(v *pages.DebitsReport) {
	for _, g := range d.groupings() {
		if len(g.groups) < 2 {
			continue
		}
		if g.most && len(g.groups) > mostGroups {
			g.sub += "The " + strconv.Itoa(mostGroups) + " with the most answered debits are shown. "
			g.groups = g.groups[:mostGroups]
		}
		v.Tables = append(v.Tables, d.table(g))
	}
}

func (d drawer) table(of grouping) pages.ShareTable {
	t := pages.ShareTable{Title: of.title, Head: of.head, Sub: of.sub +
		"The range holds the true share in 80 of 100 cases. " +
		"Below " + strconv.Itoa(estimate.Enough) + " debits there are too few to say."}
	if d.compared() && d.All.Was.Answered().N > 0 {
		t.Was = "Before"
	}
	for _, g := range of.groups {
		if g.Answered().N+g.Was.Answered().N == 0 {
			continue // all of them are open
		}
		name, key, value := of.of(g)
		row := pages.ShareRow{Label: name, Share: "–", Range: "–", FewCases: true}
		all := g.Answered()
		row.Answered = components.Figure{Text: words.Grouped(all.N)}
		if all.N > 0 {
			row.Answered.Href = listOf(d.Of, "answered", d.Of.From, d.Of.To, key, value)
			row.Answered.Total = components.TotalOf(all.N, all.Cents)
			row.Share = words.Share(report.Ratio(g.Collected().N, all.N))
		}
		if in, ok := g.Interval(); ok {
			row.Range = words.Range(in)
			row.FewCases, row.Width = false, report.Ratio(g.Collected().N, all.N)/10
		} else {
			row.Range = "Too few"
		}
		if was := g.Was.Answered().N; was > 0 {
			row.Was = words.Share(report.Ratio(g.Was.Collected().N, was))
		} else {
			row.Was = "–"
		}
		if g.Changed() {
			row.Change, row.ChangeTrend = "better, by more than chance", "up"
			if report.Ratio(g.Collected().N, all.N) < report.Ratio(g.Was.Collected().N, g.Was.Answered().N) {
				row.Change, row.ChangeTrend = "worse, by more than chance", "down"
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
