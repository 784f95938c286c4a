package book

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/client"
)

// adding says what a row does that adds an account or a subscription to the client of an earlier row. It changes
// nothing else of the client.
func (k *known) adding(p *plan, row Row) {
	v := p.values
	for _, n := range []int{v.More, v.AccountOf} {
		if n > 0 && !k.earlier[n].Verdict.Comes() {
			p.say(Problem, "", CauseFirstRow, "row %d of the same client does not come in", n)
			return
		}
	}
	if first := k.earlier[v.More]; first.Verdict == Created {
		p.adds = v.More
	} else {
		c, there := k.byID[first.ClientID]
		if !there {
			p.say(Problem, "", CauseFirstRow, "the client of row %d is no longer there", v.More)
			return
		}
		p.client, p.details = c, c.Details
	}
	k.account(p)
	k.subscription(p, row)
	k.evidence(p, row)
	k.owed(p)
	if p.client.Any() {
		p.damaged()
	}
}

// lookBack reads the earlier rows to whose clients and accounts rows add, and gives the ids of these clients.
func (s *Service) lookBack(ctx context.Context, i Import, lines []Line, k *known) (clients []uuid.UUID, err error) {
	var numbers []int
	for _, l := range lines {
		for _, n := range []int{l.Values.More, l.Values.AccountOf} {
			if n > 0 && n < lines[0].N && !slices.Contains(numbers, n) {
				numbers = append(numbers, n)
			}
		}
	}
	k.earlier = make(map[int]Row, len(lines))
	if len(numbers) == 0 {
		return nil, nil
	}
	rows, err := s.Store.lines(ctx, i.MerchantID, i.ID, "n = ANY($3::int[])", numbers)
	for _, r := range rows {
		k.earlier[r.N] = r
		if r.ClientID != uuid.Nil {
			clients = append(clients, r.ClientID)
		}
	}
	return clients, err
}

// note keeps what a row does for the rows behind it.
func (k *known) note(n int, p *plan) {
	k.earlier[n] = Row{N: n, Verdict: p.verdict, ClientID: p.client.ID}
}

// dropped tells that a row adds to one that was refused in the same piece of work.
func (p *plan) dropped(gone map[int]bool) bool {
	return gone[p.values.More] || gone[p.values.AccountOf]
}

// adds finds the client that an earlier row made.
func (d *doing) addsTo(p *plan) (client.Client, bool) {
	if c, made := d.made[p.adds]; made {
		return c, true
	}
	c, there := d.clients[p.known.earlier[p.adds].ClientID]
	return c, there && !c.Erased()
}

// accountOf is the account that an earlier row of the client brought.
func (d *doing) accountOf(p *plan) uuid.UUID {
	if id, here := d.tokens[p.accountOf]; here {
		return id
	}
	return p.known.earlier[p.accountOf].TokenID
}
