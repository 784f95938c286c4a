package batch

import (
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
}

// clientsOf finds the clients that lines name, all in one question.
func clientsOf(tx Tx, merchantID uuid.UUID, lines []Line) (*directory, error) {
	var by Keys
	for _, line := range lines {
		l := line.Values
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
	found, err := tx.MatchClients(merchantID, by)
	if err != nil {
		return nil, err
	}
	d := &directory{map[uuid.UUID]client.Client{}, map[string][]client.Client{}, map[string][]client.Client{}}
	for _, c := range found {
		d.add(c)
	}
	return d, nil
}

// add makes a client known to the rows after it, so that a new payer with two rows is made once.
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

// find tells which client a line means: by id, by identity number, by e-mail address. Nobody: a new one. More than one is a
// problem, for an invoice must not go to whoever comes first.
func (d *directory) find(v Values) (c client.Client, isNew bool, wrong []Problem) {
	if v.ClientID != uuid.Nil {
		c, known := d.byID[v.ClientID]
		if !known {
			return c, false, []Problem{{Field: ClientID, Code: "does_not_exist", Message: "no client has this id", Mend: mendClient}}
		}
		return c, false, nil
	}
	if v.PersonalCode != "" {
		switch same := d.byIdentity[bank.CleanID(v.PersonalCode.Reveal()).Reveal()]; len(same) {
		case 0:
		case 1:
			return same[0], false, nil
		default:
			return c, false, []Problem{{Field: PersonalCode, Code: "ambiguous", Message: "more than one client has this identity number: give the client's id", Mend: mendClient}}
		}
	}
	if v.Email == "" {
		return c, true, nil
	}
	switch same := d.byEmail[strings.ToLower(v.Email)]; len(same) {
	case 0:
		return c, true, nil
	case 1:
		if identity, his := v.PersonalCode, same[0].PersonalCode; identity != "" && his != "" && bank.CleanID(identity.Reveal()) != bank.CleanID(his.Reveal()) {
			return c, true, nil // a family may share one address
		}
		return same[0], false, nil
	}
	return c, false, []Problem{{Field: Email, Code: "ambiguous", Message: "more than one client has this e-mail address: give the client's id", Mend: mendClient}}
}
