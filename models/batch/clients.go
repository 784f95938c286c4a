package batch

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/client"
)

// directory holds the clients that rows may mean.
type directory struct {
	byID       map[uuid.UUID]client.Client
	byEmail    map[string][]client.Client
	byIdentity map[string][]client.Client
	made       map[uuid.UUID]bool // by the batch itself
}

// clientsOf finds the clients that rows name, all in one question.
func (s *Service) clientsOf(ctx context.Context, b Batch, rows []Row, lines []Line) (*directory, error) {
	var by client.Keys
	var fresh []uuid.UUID
	for i, line := range lines {
		l := line.Values
		if rows[i].Decision == BillClient {
			by.IDs = append(by.IDs, rows[i].Chosen)
		}
		if l.ClientID != uuid.Nil {
			by.IDs = append(by.IDs, l.ClientID)
			continue
		}
		if l.Email != "" {
			by.Emails = append(by.Emails, strings.ToLower(l.Email))
		}
		if l.PersonalCode != "" {
			by.Identities = append(by.Identities, bank.CleanID(l.PersonalCode.Reveal()))
		}
	}
	found, err := client.Store(s.Store).Matching(ctx, b.MerchantID, by)
	if err != nil {
		return nil, err
	}
	d := &directory{byID: map[uuid.UUID]client.Client{}, byEmail: map[string][]client.Client{},
		byIdentity: map[string][]client.Client{}}
	for _, c := range found {
		d.add(c)
		fresh = append(fresh, c.ID)
	}
	d.made, err = s.Store.madeBy(ctx, b, fresh)
	return d, err
}

// add makes a client known to the rows after it, so that a new client with two rows is made once.
func (d *directory) add(c client.Client) {
	if _, known := d.byID[c.ID]; known {
		return
	}
	d.byID[c.ID] = c
	if c.Email != "" {
		key := strings.ToLower(c.Email)
		d.byEmail[key] = append(d.byEmail[key], c)
	}
	if c.PersonalCode != "" {
		key := bank.CleanID(c.PersonalCode.Reveal()).Reveal()
		d.byIdentity[key] = append(d.byIdentity[key], c)
	}
}

// resolve tells whom a row bills: the client that a person chose, else the one that it names.
func (d *directory) resolve(r Row, v Values) (c client.Client, isNew bool, wrong []Problem) {
	if r.Decision == CreateClient {
		return d.findNamed(v)
	}
	if r.Decision != BillClient {
		return d.find(v)
	}
	c, known := d.byID[r.Chosen]
	if !known {
		return c, false, []Problem{{Field: Email, Code: "does_not_exist",
			Message: "the client that was chosen has been deleted: choose another one", Cause: CauseClient}}
	}
	return c, false, nil
}

// find tells which client a line means: by id, by identity number, by e-mail address. Nobody: a new one. More than one
// is a problem, for an invoice must not go to whoever comes first.
func (d *directory) find(v Values) (c client.Client, isNew bool, wrong []Problem) {
	if v.ClientID != uuid.Nil {
		c, known := d.byID[v.ClientID]
		if !known {
			return c, false, []Problem{{Field: ClientID, Code: "does_not_exist", Message: "no client has this id",
				Cause: CauseClient}}
		}
		return c, false, nil
	}
	if v.PersonalCode != "" {
		switch same := d.byIdentity[bank.CleanID(v.PersonalCode.Reveal()).Reveal()]; len(same) {
		case 0:
		case 1:
			return same[0], false, nil
		default:
			return c, false, []Problem{{Field: PersonalCode, Code: "ambiguous",
				Message: "more than one client has this identity number: choose the client", Cause: CauseClient}}
		}
	}
	if v.Email == "" {
		return c, true, nil
	}
	switch same := d.byEmail[strings.ToLower(v.Email)]; len(same) {
	case 0:
		return c, true, nil
	case 1:
		if identity, his := v.PersonalCode, same[0].PersonalCode; identity != "" && his != "" &&
			bank.CleanID(identity.Reveal()) != bank.CleanID(his.Reveal()) {
			return c, true, nil // a family may share one address
		}
		return same[0], false, nil
	}
	return c, false, []Problem{{Field: Email, Code: "ambiguous",
		Message: "more than one client has this e-mail address: choose the client", Cause: CauseClient}}
}
