package client

import (
	"context"
	"strings"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/paging"
)

// Twin is a client that may be the one who is being added.
type Twin struct {
	Client
	Same []string // what is the same: "e-mail address", "phone number", "identity number"
}

const mostTwins = 5 // by each of the three

// Alike finds clients with the same e-mail address, phone number or identity number.
// It is advice for a person who adds one: two clients may well share a phone.
func (s *Service) Alike(ctx context.Context, who actor.Actor, d Details) ([]Twin, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	phone, isPhone := Phone(strings.TrimSpace(d.Phone))
	email, id := strings.TrimSpace(d.Email), bank.CleanID(d.PersonalCode.Reveal())
	var found []Twin
	look := func(q Query, same string, is func(Client) bool) error {
		q.Ask = paging.Ask{Limit: mostTwins}
		page, err := s.Store.Clients(ctx, who.MerchantID, q.tidy())
		for _, c := range page.Items {
			if !is(c) {
				continue
			}
			at := -1
			for i := range found {
				if found[i].ID == c.ID {
					at = i
				}
			}
			if at < 0 {
				found, at = append(found, Twin{Client: c}), len(found)
			}
			found[at].Same = append(found[at].Same, same)
		}
		return err
	}
	if email != "" {
		if err := look(Query{Text: email}, "e-mail address",
			func(c Client) bool { return strings.EqualFold(c.Email, email) }); err != nil {
			return nil, err
		}
	}
	if isPhone {
		if err := look(Query{Text: phone}, "phone number", func(c Client) bool { return c.Phone == phone }); err != nil {
			return nil, err
		}
	}
	if id != "" && !bank.IsMasked(id.Reveal()) {
		if err := look(Query{PersonalCode: id}, "identity number", func(Client) bool { return true }); err != nil {
			return nil, err
		}
	}
	return found, nil
}
