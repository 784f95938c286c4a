package reports

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/analysis"
	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
	"debitdesk/models/savedreport"
	"debitdesk/views/components"
	"debitdesk/views/documents"
	"debitdesk/views/pages"
)

// Pictures put how debits went into words, for the page and for a PDF.
type Pictures struct {
	Analysis *analysis.Service
	Brands   merchant.Store
	Test     bool // sandbox mode
	// Templates are the names of some templates of a merchant.
	Templates func(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

func (d Pictures) draw(ctx context.Context, who actor.Actor, p analysis.Picture, brands []merchant.Brand,
	v *pages.DebitsReport) error {
	var ids []uuid.UUID
	for _, g := range p.Templates[:min(len(p.Templates), mostGroups)] {
		if id, err := uuid.Parse(g.Value); err == nil {
			ids = append(ids, id)
		}
	}
	found, err := d.Templates(ctx, who.MerchantID, ids)
	names := make(map[string]string, len(found))
	for id, name := range found {
		names[id.String()] = name
	}
	drawer{Picture: p, brands: brands, templates: names}.draw(v)
	return err
}

// PDF answers a saved report on paper, with the figures of the page.
func (d Pictures) PDF(ctx context.Context, who actor.Actor, r savedreport.Report, q,
	before analysis.Question) ([]byte, error) {
	brands, err := d.Brands.Brands(ctx, who.MerchantID)
	if err != nil {
		return nil, err
	}
	p, err := d.Analysis.Look(ctx, who, q, before)
	if err != nil {
		return nil, err
	}
	var v pages.DebitsReport
	if err := d.draw(ctx, who, p, brands, &v); err != nil {
		return nil, err
	}
	paper := documents.Paper{Kind: "Report", Title: r.Name, Reference: daysText(q.From, q.To), Subject: "How debits went",
		Made: d.Analysis.Now(), Standing: strings.TrimSpace(v.Sub + " As it stood on " +
			words.DayTime(calendar.DateOf(d.Analysis.Now())).Text + "."), Sections: sections(v)}
	for _, b := range brands {
		if paper.IssuerName == "" || b.ID == q.BrandID {
			paper.IssuerName = b.Name
		}
	}
	if d.Test {
		paper.Test = "TEST MODE: no bank was contacted. These figures are made up."
	}
	return documents.Render(paper)
}

// sections are the parts of the page as facts.
func sections(v pages.DebitsReport) (out []documents.Section) {
	if v.None {
		return []documents.Section{{Title: v.Empty.Title, Text: []string{"The bank answered no debit of this period."}}}
	}
	short := documents.Section{Title: "In short"}
	for _, s := range v.Stats {
		short.Facts = append(short.Facts, documents.Fact{Label: s.Label, Value: s.Value + ": " + s.Note})
	}
	out = append(out, short)
	if v.Went != nil {
		out = append(out, charted(v.WentTitle, *v.Went))
	}
	for _, r := range v.Ratios {
		part := charted(r.Title, *r.Chart)
		part.Text = []string{r.Chart.Limit.Text + ". " + r.Sub}
		out = append(out, part)
	}
	for _, t := range v.Tables {
		part := documents.Section{Title: t.Title, Text: []string{t.Sub}}
		for _, r := range t.Rows {
			value := r.Share + " of " + r.Answered.Text + " collected; 80 % range: " + words.LowerFirst(r.Range)
			if t.Was != "" {
				value += "; before: " + strings.TrimSpace(r.Was+" "+r.Change)
			}
			part.Facts = append(part.Facts, documents.Fact{Label: r.Label, Value: value})
		}
		out = append(out, part)
	}
	why := documents.Section{Title: "Why debits failed"}
	for _, r := range v.Reasons.Rows {
		why.Facts = append(why.Facts, documents.Fact{Label: r.Label, Value: r.All.Text + ": " + r.Cents})
	}
	ended := documents.Section{Title: "How failures ended"}
	for _, r := range v.Endings.Rows {
		var parts []string
		for n, text := range r.Ended {
			if text != "–" {
				parts = append(parts, words.LowerFirst(v.Endings.Endings[n])+" "+text)
			}
		}
		ended.Facts = append(ended.Facts, documents.Fact{Label: r.Month, Value: r.All + ": " + strings.Join(parts, ", ")})
	}
	for _, part := range []documents.Section{why, ended} {
		if len(part.Facts) > 0 {
			out = append(out, part)
		}
	}
	return out
}

// charted writes the bars of a chart out.
func charted(title string, c components.BarChart) documents.Section {
	part := documents.Section{Title: title}
	for _, b := range c.Bars {
		var parts []string
		for n, text := range b.Texts {
			if len(b.Texts) > 1 {
				text = words.LowerFirst(c.Series[n]) + " " + text
			}
			if b.Values[n] != 0 || len(b.Texts) == 1 {
				parts = append(parts, text)
			}
		}
		if len(parts) == 0 {
			parts = []string{"–"}
		}
		part.Facts = append(part.Facts, documents.Fact{Label: b.Label, Value: strings.Join(parts, ", ")})
	}
	return part
}
