package plans

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
)

// asAnother explains a statement in the name of another merchant, by the plan that serves all merchants.
func asAnother(ctx context.Context, conn *pgconn.PgConn, how string, s Statement, limits Limits) ([]byte, error) {
	const name = "as_another"
	swapped := func(text string) string { return swap(text, limits.Of, limits.As) }
	page, err := conn.Prepare(ctx, name, swapped(s.SQL), s.types)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Deallocate(context.WithoutCancel(ctx), name) }()
	run := how + "EXECUTE " + name
	if len(page.ParamOIDs) > 0 {
		places := make([]string, len(page.ParamOIDs))
		for n := range places {
			places[n] = fmt.Sprintf("$%d", n+1)
		}
		texts := conn.ExecParams(ctx, "SELECT "+strings.Join(places, ", "), s.values, page.ParamOIDs, s.formats, nil).Read()
		if texts.Err != nil {
			return nil, texts.Err
		}
		for n, text := range texts.Rows[0] {
			if places[n] = "NULL"; text != nil {
				places[n] = "'" + strings.ReplaceAll(swapped(string(text)), "'", "''") + "'"
			}
		}
		run += "(" + strings.Join(places, ", ") + ")"
	}
	all, err := conn.Exec(ctx, run).ReadAll()
	if err != nil {
		return nil, err
	}
	return first(all[0])
}

// first is the one value of what a statement tells.
func first(res *pgconn.Result) ([]byte, error) {
	if res.Err != nil {
		return nil, res.Err
	}
	return res.Rows[0][0], nil
}

// swap puts one merchant for another. The keys of searches hold the end of its id.
func swap(text string, of, as uuid.UUID) string {
	const tail = 12
	was, is := of.String(), as.String()
	text = strings.ReplaceAll(text, was, is)
	return strings.ReplaceAll(text, "'"+was[len(was)-tail:], "'"+is[len(is)-tail:])
}
