package purchases

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

// Suggest gives of some purchases what their pages offer first, and what that was decided on.
func (p *Purchases) Suggest(ctx context.Context, who actor.Actor, ids []uuid.UUID) (map[uuid.UUID]purchase.Outlook,
	map[uuid.UUID]components.Button, error) {
	found, err := p.Service.Outlooks(ctx, who, ids)
	if err != nil {
		return nil, nil, err
	}
	buttons := make(map[uuid.UUID]components.Button, len(found))
	for id, o := range found {
		buttons[id], _ = possible(o.Record, p.Service, who, o.Usable, o.Again, p.Desk.Now())
	}
	return found, buttons, nil
}
