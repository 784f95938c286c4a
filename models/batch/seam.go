package batch

import (
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

type Mapping struct {
	Columns []string `json:"columns"`
}

func (m Mapping) empty() bool { return len(m.Columns) == 0 }

type Problem struct {
	Column  int    `json:"column"`
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (p Problem) Cause() string { return p.Field + ":" + p.Code }

type Line struct {
	ClientID  uuid.UUID
	Client    client.Details
	Products  []purchase.Product
	Due       Day
	Reference string
	Notes     string
	Charge    bool
}

var fields = []string{"client_id", "email", "full_name", "personal_code", "phone", "amount", "due", "description", "reference", "charge"}

func guess(f sheet.Format, _ []sheet.Row) Mapping {
	m := Mapping{Columns: make([]string, len(f.Header))}
	for i, h := range f.Header {
		h = strings.ReplaceAll(strings.ToLower(h), " ", "_")
		if slices.Contains(fields, h) {
			m.Columns[i] = h
		}
	}
	return m
}

func (m Mapping) problems() error { return nil }

func (m Mapping) read(f sheet.Format, r Row, today Day) (Line, []Problem) {
	var l Line
	var wrong []Problem
	for _, p := range r.Broken {
		wrong = append(wrong, Problem{Column: p.Column, Code: p.Code, Message: p.Message})
	}
	p := purchase.Product{Name: "Amount due", Quantity: decimal.NewFromInt(1)}
	for i, field := range m.Columns {
		if i >= len(r.Cells) {
			continue
		}
		text := strings.TrimSpace(r.Cells[i])
		bad := func(code, message string) { wrong = append(wrong, Problem{i + 1, field, code, message}) }
		switch field {
		case "client_id":
			if text != "" {
				id, err := uuid.Parse(text)
				if err != nil {
					bad("invalid", "This is no client id.")
				}
				l.ClientID = id
			}
		case "email":
			l.Client.Email = text
		case "full_name":
			l.Client.FullName = text
		case "amount":
			cents, err := money.Parse(text)
			if err != nil {
				bad("amount", err.Error())
			}
			p.PriceCents = cents
		case "due":
			d, err := calendar.ParseDate(text)
			if err != nil {
				bad("date", err.Error())
			}
			l.Due = d
		case "description":
			p.Name = text
		case "reference":
			l.Reference = text
		case "charge":
			l.Charge = text == "yes"
		}
	}
	l.Products = []purchase.Product{p}
	return l, wrong
}

func (m Mapping) mask(cells []string) []string { return cells }

func chosenFormat() (sheet.Format, Mapping) {
	header := []string{"client_id", "full_name", "email", "amount", "due", "description", "charge"}
	return sheet.Format{Kind: sheet.CSV, Header: header, HeaderRow: 1}, Mapping{Columns: header}
}

func chosenCells(c client.Client, in Chosen) []string {
	charge := ""
	if in.Charge {
		charge = "yes"
	}
	return []string{c.ID.String(), c.FullName, c.Email, in.Amount, in.Due, in.Description, charge}
}

// Fix is one way to mend all rows with a cause.
type Fix struct{ Text string }

func (f Fix) apply(b Batch, r *Row, cause string) bool {
	for _, p := range r.Problems {
		if p.Cause() == cause && p.Column > 0 && p.Column <= len(r.Cells) {
			r.Cells[p.Column-1] = f.Text
		}
	}
	return true
}
