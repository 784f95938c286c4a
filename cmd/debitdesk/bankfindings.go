package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
)

// bankFindingsCmd shows the operator what no business may see: money on an account that belongs to none of them, a file
// that cannot be read. What concerns one business stands on its own page.
type bankFindingsCmd struct {
	Settle string `placeholder:"ID" help:"Close a finding; --note says what was done about it."`
	Note   string `help:"What was done about it."`
	JSON   bool   `help:"Print the findings as JSON."`
}

// findingLine is a finding as JSON.
type findingLine struct {
	ID     uuid.UUID            `json:"id"`
	Kind   exchange.FindingKind `json:"kind"`
	Text   string               `json:"text"`
	Opened time.Time            `json:"opened"`
}

func (b *bankFindingsCmd) run(ctx context.Context, c Config, io streams) error {
	var id uuid.UUID
	if b.Settle != "" {
		var err error
		if id, err = uuid.Parse(b.Settle); err != nil {
			return usageError{fmt.Errorf("%q is not the id of a finding", b.Settle)}
		}
	}
	return onApp(ctx, c, io, func(a *App) error {
		who := actor.OperatorOf(uuid.Nil)
		if b.Settle != "" {
			x := exchange.Service{Store: exchange.Store{DB: a.Store}, Now: a.Store.Now}
			f, err := x.Settle(ctx, who, id, b.Note)
			if err == nil {
				_, err = fmt.Fprintf(io.out, "Settled: %s\n", f.Text)
			}
			return err
		}
		open, err := findingsOfNoBusiness(ctx, a, who)
		switch {
		case err != nil:
			return err
		case b.JSON:
			return json.NewEncoder(io.out).Encode(open)
		case len(open) == 0:
			_, err = fmt.Fprintln(io.out, "Nothing is open that concerns no single business.")
			return err
		}
		for _, f := range open {
			_, err = fmt.Fprintf(io.out, "%s  %s\n    %s\n", f.ID, f.Opened.In(calendar.SAST).Format("2 Jan 2006 15:04"), f.Text)
		}
		return err
	})
}

// findingsOfNoBusiness are the open ones, the newest first.
func findingsOfNoBusiness(ctx context.Context, a *App, who actor.Actor) ([]findingLine, error) {
	x := exchange.Service{Store: exchange.Store{DB: a.Store}, Now: a.Store.Now}
	out := []findingLine{}
	for ask := (paging.Ask{Limit: 200}); ; {
		page, err := x.Findings(ctx, who, exchange.FindingFilter{State: exchange.FindingOpen}, ask)
		if err != nil {
			return nil, err
		}
		for _, f := range page.Items {
			out = append(out, findingLine{f.ID, f.Kind, f.Text, f.OpenedAt})
		}
		if !page.Older {
			return out, nil
		}
		ask.From = out[len(out)-1].ID
	}
}
