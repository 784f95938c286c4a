package batch

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// forecast finds out what charging rows would do, and adds to wrong what stands against it. It asks package purchase,
// which also books: what Check says is what booking does. Rows without a charge have no forecast.
func (s *Service) forecast(ctx context.Context, b Batch, rows []Row, lines []Line,
	wrong [][]Problem) ([]*purchase.Forecast, error) {
	out := make([]*purchase.Forecast, len(rows))
	live, err := s.tokensOf(ctx, b, rows, lines)
	if err != nil {
		return nil, err
	}
	var wishes []purchase.Wish
	var at []int
	for i := range rows {
		r, v := &rows[i], lines[i].Values
		if !v.Charge {
			continue
		}
		r.Charge = ChargeWanted
		if r.ClientID == uuid.Nil {
			if r.NewClient && r.Decision == CreateClient {
				wrong[i] = append(wrong[i], notCharged("no_token", "a new client has no token to debit"))
			}
			continue
		}
		t, found := b.tokenFor(live[r.ClientID], v.Method)
		switch {
		case !found:
			wrong[i] = append(wrong[i], notCharged("no_token", "the client has no token that can be debited"))
		case !v.Due.IsZero():
			wishes, at = append(wishes, purchase.Wish{Purchase: s.wished(b, *r), TokenID: t.ID}), append(at, i)
		}
	}
	if len(wishes) == 0 {
		return out, nil
	}
	all, err := s.Purchases.Forecasts(ctx, b.MerchantID, wishes)
	if err != nil {
		return nil, err
	}
	for n, f := range all {
		i := at[n]
		for _, p := range f.Problems {
			if one := chargeProblem(p.Path, p.Code, p.Message); one.Field != Due || len(wrong[i]) == 0 ||
				wrong[i][0].Field != Due {
				wrong[i] = append(wrong[i], one)
			}
		}
		rows[i].Debit = Debit{TokenID: f.Token.ID, Method: f.Token.Method, Date: f.Plan.ActionDate,
			Disputable: f.Because}
		out[i] = &f
	}
	return out, nil
}

// wished is as much of a row's purchase as a forecast needs.
func (s *Service) wished(b Batch, r Row) purchase.Purchase {
	p := purchase.Purchase{MerchantID: b.MerchantID, BrandID: b.BrandID, ClientID: r.ClientID, Currency: money.ZAR,
		TotalCents: r.TotalCents}
	return s.Purchases.On(p, r.Due)
}

func notCharged(code, message string) Problem {
	return Problem{Field: Charge, Code: code, Message: message, Cause: causeCharge}
}

// chargeProblem places what stands against a debit in the row.
func chargeProblem(path, code, message string) Problem {
	p := notCharged(code, message)
	switch path {
	case purchase.AtAmount:
		p.Field = Amount
	case purchase.AtDue:
		p.Field = Due
	}
	return p
}

// tokenFor gives the stored bank account, of those of the client, that a row debits: of those of the brand and the
// method the newest that is active, else the newest, whose forecast says what is wrong with it.
func (b Batch) tokenFor(live []token.Token, method string) (t token.Token, found bool) {
	for _, one := range live {
		if one.BrandID != b.BrandID || method != "" && one.Method != method {
			continue
		}
		if one.State == token.Active {
			return one, true
		}
		if !found {
			t, found = one, true
		}
	}
	return t, found
}

// tokensOf lists the live tokens of the clients that rows debit, all in one question.
func (s *Service) tokensOf(ctx context.Context, b Batch, rows []Row,
	lines []Line) (map[uuid.UUID][]token.Token, error) {
	var clients []uuid.UUID
	for i, r := range rows {
		if lines[i].Values.Charge && r.ClientID != uuid.Nil {
			clients = append(clients, r.ClientID)
		}
	}
	if len(clients) == 0 {
		return nil, nil
	}
	return token.Store(s.Store).TokensOfClients(ctx, b.MerchantID, clients)
}

// judgeTogether judges rows with the other ready rows that debit the same accounts: two debits under one mandate bear
// on each other, wherever they stand in the file. It gives all of them, in the order of the file.
func (s *Service) judgeTogether(ctx context.Context, b Batch, rows []Row) ([]Row, error) {
	var accounts []uuid.UUID
	for _, r := range rows { // the account that it debited before
		if r.Debit.TokenID != uuid.Nil {
			accounts = append(accounts, r.Debit.TokenID)
		}
	}
	if err := s.judge(ctx, b, rows); err != nil {
		return nil, err
	}
	for _, r := range rows {
		if r.Debit.TokenID != uuid.Nil {
			accounts = append(accounts, r.Debit.TokenID)
		}
	}
	if len(accounts) == 0 {
		return rows, nil
	}
	others, err := s.Store.rowsDebiting(ctx, b.MerchantID, b.ID, accounts)
	if err != nil {
		return nil, err
	}
	here := map[int]bool{}
	for _, r := range rows {
		here[r.N] = true
	}
	others = slices.DeleteFunc(others, func(o Row) bool { return here[o.N] })
	if len(others) == 0 {
		return rows, nil
	}
	all := append(slices.Clone(rows), others...)
	slices.SortFunc(all, func(x, y Row) int { return x.N - y.N })
	return all, s.judge(ctx, b, all)
}
