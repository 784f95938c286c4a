package tokens

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/paging"
	"debitdesk/models/token"
)

// offerTakeOver adds what takes each replacement into use.
func (h *Tokens) offerTakeOver(list *kit.List[token.Entry, token.Filter]) {
	query, open := list.Query, map[uuid.UUID]uuid.UUID{}
	list.Query = func(ctx context.Context, who actor.Actor, f token.Filter,
		ask paging.Ask) (paging.Page[token.Entry], error) {
		page, err := query(ctx, who, f, ask)
		if err != nil {
			return page, err
		}
		ids := make([]uuid.UUID, len(page.Items))
		for i, e := range page.Items {
			ids[i] = e.ID
		}
		open, err = h.Amendments.Replacing(ctx, who, ids)
		return page, err
	}
	list.Columns = append(list.Columns, kit.ActColumn(words.TakeOver, tokenClient, func(e token.Entry) string {
		if id := open[e.ID]; id != uuid.Nil {
			return words.AmendmentPath(id, "")
		}
		return ""
	}))
}
