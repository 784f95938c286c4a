package templates

import (
	"context"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/paging"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// bulkRow is one row of a file of subscribers.
type bulkRow struct {
	number    int    // as a spreadsheet shows it
	who       string // as it stands in the file
	reference string
	clientID  uuid.UUID
	firstOn   calendar.Date
	problem   string // why it cannot be added; empty: it can
	state     string // in place of "Left out"
	named     string // the client, as a file of results names them
	agreed    *int64 // the price that a second approver agreed to
}

func (r bulkRow) view() pages.BulkLine {
	v := pages.BulkLine{N: words.Grouped(int64(r.number)), Who: r.who, First: words.DayTime(r.firstOn),
		Reference: r.reference, Problem: r.problem, Pill: components.Pill{Kind: "done", Word: "Ready"}}
	if r.problem != "" {
		v.Pill = components.Pill{Kind: "bad", Word: or2(r.state, "Left out")}
	}
	return v
}

// columnsOf says where the columns of a file are; -1 is nowhere.
type columnsOf struct{ client, first, reference int }

// bulkWords is what people call the columns.
var bulkWords = func() map[string]func(*columnsOf) *int {
	all := map[string]func(*columnsOf) *int{}
	for words, where := range map[string]func(*columnsOf) *int{
		"email|emailaddress|mail|epos|clientemail|clientid|client|clientreference|customerid|customeremail|klient": func(
			c *columnsOf) *int {
			return &c.client
		},
		"first|firstdate|firston|firstbilling|firstbillingdate|start|startdate|startson|date|datum|begin": func(
			c *columnsOf) *int {
			return &c.first
		},
		"reference|ref|invoicereference|yourreference|verwysing|membershipnumber|membernumber": func(
			c *columnsOf) *int {
			return &c.reference
		},
	} {
		for word := range strings.SplitSeq(words, "|") {
			all[word] = where
		}
	}
	return all
}()

// bulkColumns finds the columns by their heading. A file without a heading has the
// client in its first column, then the date, then the reference.
func bulkColumns(header []string) columnsOf {
	c := columnsOf{-1, -1, -1}
	named := false
	for i, h := range header {
		named = named || h != ""
		word := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, h)
		if where, known := bulkWords[word]; known && *where(&c) < 0 {
			*where(&c) = i
		}
	}
	if !named {
		c.client = 0
		if len(header) > 1 {
			c.first = 1
		}
		if len(header) > 2 {
			c.reference = 2
		}
	}
	return c
}

func (c columnsOf) read(r sheet.Row, order calendar.Order) bulkRow {
	cell := func(i int) string {
		if i < 0 || i >= len(r.Cells) {
			return ""
		}
		return strings.TrimSpace(r.Cells[i])
	}
	out := bulkRow{number: r.Number, who: cell(c.client), reference: cell(c.reference)}
	if len(r.Broken) > 0 {
		out.problem = r.Broken[0].Message
		return out
	}
	if text := cell(c.first); text != "" {
		day, err := calendar.ParseWritten(text, order)
		if err != nil {
			out.problem = "The first date “" + text + "”: " + err.Error() + ". Write it as 2026-12-01."
			return out
		}
		out.firstOn = day
	}
	switch {
	case out.who == "":
		out.problem = "No client is named: give an e-mail address or a client id."
	case len([]rune(out.reference)) > 128:
		out.problem = "The reference has more than 128 characters."
	}
	return out
}

// judge finds the clients of all rows at once, and says what is wrong with each row.
func (h *Templates) judge(ctx context.Context, who actor.Actor, t subscription.Template, rows []bulkRow) error {
	var by client.Keys
	for _, r := range rows {
		if id, err := uuid.Parse(r.who); err == nil {
			by.IDs = append(by.IDs, id)
		} else if strings.Contains(r.who, "@") {
			by.Emails = append(by.Emails, strings.ToLower(r.who))
		}
	}
	found, err := h.Match(ctx, who.MerchantID, by)
	if err != nil {
		return err
	}
	known := map[string][]client.Client{}
	for _, c := range found {
		known[c.ID.String()] = []client.Client{c}
		if c.Email != "" {
			known[strings.ToLower(c.Email)] = append(known[strings.ToLower(c.Email)], c)
		}
	}
	there, err := h.subscribed(ctx, who, t)
	if err != nil {
		return err
	}
	today, seen := calendar.DateOf(h.Desk.Now()), map[uuid.UUID]int{}
	for i := range rows {
		r := &rows[i]
		if r.problem != "" {
			continue
		}
		is := known[strings.ToLower(r.who)]
		switch {
		case len(is) == 0:
			r.problem = "No client of yours has this e-mail address or id. Add the client first."
			continue
		case len(is) > 1:
			r.problem = "Several clients have this e-mail address. Give the client id instead."
			continue
		}
		r.clientID, r.named = is[0].ID, or2(is[0].Email, is[0].FullName)
		switch {
		case seen[r.clientID] > 0:
			r.problem = "The same client is in row " + words.Grouped(int64(seen[r.clientID])) + " already."
		case there[r.clientID]:
			r.problem = "This client is already a subscriber of the template."
		case !r.firstOn.IsZero() && r.firstOn.Before(today):
			r.problem = "The first date has passed."
		case r.firstOn.Year > today.Year+10:
			r.problem = "The first date is more than ten years ahead."
		}
		if r.problem == "" {
			seen[r.clientID] = r.number
		}
	}
	return nil
}

// subscribed are the clients who are or will be billed by a template.
func (h *Templates) subscribed(ctx context.Context, who actor.Actor,
	t subscription.Template) (map[uuid.UUID]bool, error) {
	out, ask := map[uuid.UUID]bool{}, paging.Ask{Limit: kit.ExportPageRows}
	for {
		page, err := h.Service.Subscribers(ctx, who, t.ID, subscription.SubscriberFilter{}, ask)
		if err != nil {
			return nil, err
		}
		for _, s := range page.Items {
			if s.Status != subscription.Inactive {
				out[s.ClientID] = true
			}
		}
		if !page.Older || len(page.Items) == 0 {
			return out, nil
		}
		ask.From = page.Items[len(page.Items)-1].ID
	}
}
