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
	for _, l := range lines {
		if l.ClientID != uuid.Nil {
			by.IDs = append(by.IDs, l.ClientID)
			continue
		}
		if l.Client.Email != "" {
			by.Emails = append(by.Emails, strings.ToLower(l.Client.Email))
		}
		if l.Client.PersonalCode != "" {
			by.Identities = append(by.Identities, bank.CleanID(l.Client.PersonalCode.Reveal()))
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
func (d *directory) find(l Line) (c client.Client, isNew bool, wrong []Problem) {
	if l.ClientID != uuid.Nil {
		c, known := d.byID[l.ClientID]
		if !known {
			return c, false, []Problem{{Field: "client_id", Code: "does_not_exist", Message: "No client has this id."}}
		}
		return c, false, nil
	}
	if l.Client.PersonalCode != "" {
		switch same := d.byIdentity[bank.CleanID(l.Client.PersonalCode.Reveal()).Reveal()]; len(same) {
		case 0:
		case 1:
			return same[0], false, nil
		default:
			return c, false, []Problem{{Field: "personal_code", Code: "ambiguous", Message: "More than one client has this identity number. Give the client's id."}}
		}
	}
	if l.Client.Email == "" {
		return c, true, nil
	}
	switch same := d.byEmail[strings.ToLower(l.Client.Email)]; len(same) {
	case 0:
		return c, true, nil
	case 1:
		if identity, his := l.Client.PersonalCode, same[0].PersonalCode; identity != "" && his != "" && bank.CleanID(identity.Reveal()) != bank.CleanID(his.Reveal()) {
			return c, true, nil // a family may share one address
		}
		return same[0], false, nil
	}
	return c, false, []Problem{{Field: "email", Code: "ambiguous", Message: "More than one client has this e-mail address. Give the client's id."}}
}

// checkClient says what a new client still needs.
func (l Line) checkClient(today Day) (wrong []Problem) {
	d := l.Client
	for _, f := range d.Check(client.AsRecord, today) {
		wrong = append(wrong, Problem{Field: f.Leaf(), Code: f.Code, Message: f.Message})
	}
	return wrong
}
