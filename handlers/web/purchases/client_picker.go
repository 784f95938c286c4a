package purchases

import (
	"context"
	"net/url"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/views/components"
)

// ClientChosen is nil when no client is chosen, or none of that id exists.
func (p *Purchases) ClientChosen(ctx context.Context, who actor.Actor, text string) (*client.Client, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return nil, nil //nolint:nilerr // no id, no client
	}
	one, err := p.Clients.Get(ctx, who, id)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &one, nil
}

func (p *Purchases) ClientPicker(ctx context.Context, who actor.Actor, form url.Values, chosen *client.Client,
	wrong string) (components.ClientPicker, error) {
	picker := components.ClientPicker{Label: "Client", Name: "client_id", Query: form.Get("client_id_q"), Error: wrong,
		CreateHref: "/clients/new"}
	ask := paging.Ask{Limit: recentClients}
	if picker.Query != "" {
		ask.Limit = FoundClients
	}
	if chosen != nil {
		picker.Value = chosen.ID.String()
		picker.Options = append(picker.Options, ClientOption(*chosen))
		if picker.Query == "" {
			return picker, nil
		}
	}
	page, err := p.Clients.List(ctx, who, client.Query{Text: picker.Query, Ask: ask})
	for _, one := range page.Items {
		if chosen == nil || one.ID != chosen.ID {
			picker.Options = append(picker.Options, ClientOption(one))
		}
	}
	return picker, err
}

func ClientOption(c client.Client) components.Option {
	return components.Option{Value: c.ID.String(), Text: c.Name(), Note: c.Email}
}
