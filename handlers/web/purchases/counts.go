package purchases

import (
	"context"
	"maps"
	"time"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// counts counts by status, and what needs attention among what the filter lets through: the concern that is looked
// at, and the others for their tabs. The tabs count purchases with an amount, whatever kind the list shows. What nobody
// counted has no sum either.
func (p *Purchases) counts(ctx context.Context, who actor.Actor, f purchase.Filter) (kit.Tally, error) {
	var totals purchase.TotalsByKind
	var narrow bool
	concerns := concernsOf(f)
	var waiting []purchase.Tally
	err := database.AtOnce(ctx, func(ctx context.Context) (err error) {
		totals, narrow, err = p.totals(ctx, who, f)
		return err
	}, func(ctx context.Context) (err error) {
		waiting, err = database.EachAtOnce(ctx, concerns, func(ctx context.Context,
			of purchase.Filter) (purchase.Tally, error) {
			return p.Service.Tally(ctx, who, of)
		})
		return err
	})
	if err != nil {
		return kit.Tally{}, err
	}
	ofKind := func(kind purchase.Kind) kit.Tally {
		return kit.TallyOf(totals[kind].Counts(), f.Statuses, narrow, purchase.CountLimit)
	}
	t, storing := ofKind(purchase.WithAmount), ofKind(purchase.OnlyStoring)
	if f.Concern == "" {
		t.Found = ofKind(f.Kind).Found
		if f.Kind != purchase.OnlyStoring {
			t.Cents = kit.Rands(totals[f.Kind].Cents(f.Statuses...))
		}
	}
	byConcern, byStatus := map[string]kit.RowsFound{}, t.Of
	for n, of := range concerns {
		tally := waiting[n]
		if _, counted := byConcern[string(of.Concern)]; !counted {
			byConcern[string(of.Concern)] = kit.FoundAll(tally.N)
		}
		if f.Concern == of.Concern { // its last is what the list shows
			t.Found, t.Sum, t.Cents = kit.FoundAll(tally.N), sumOf(tally.Cents), kit.Rands(tally.Cents)
		}
	}
	t.Of = func(v kit.View) kit.RowsFound {
		switch {
		case v.Key == "attention":
			return byConcern[v.Value]
		case v.Key == "kind":
			if storing.Of == nil {
				return storing.Found
			}
			return storing.Of(kit.View{}) // its tab leads to those of all statuses
		case byStatus == nil:
			return kit.RowsFound{}
		}
		return byStatus(v)
	}
	return t, nil
}

// concernsOf are filters by what needs attention: the concern that is looked at, and those with a tab. A tab leads to
// all of its concern, so that it counts them all; a narrower look at one concern comes last.
func concernsOf(f purchase.Filter) (concerns []purchase.Filter) {
	for _, view := range kit.ConcernViews {
		if view.Label == "" && f.Concern != view.Concern {
			continue
		}
		of := f
		of.Kind, of.Concern, of.Statuses, of.FailedSince = "", view.Concern, nil, time.Time{}
		concerns = append(concerns, of)
	}
	if f.Concern != "" && (len(f.Statuses) > 0 || !f.FailedSince.IsZero()) {
		f.Kind = ""
		concerns = append(concerns, f)
	}
	return concerns
}

// totals are the purchases of each status among those that a list shows, whatever needs attention, and those with an
// amount. Without a narrow filter they are kept, of every kind; under one each kind is asked for.
func (p *Purchases) totals(ctx context.Context, who actor.Actor,
	f purchase.Filter) (out purchase.TotalsByKind, narrow bool, err error) {
	shown := f.Kind
	if f.Concern != "" && shown == "" {
		shown = purchase.WithAmount
	}
	f.Concern, f.FailedSince, f.Kind = "", time.Time{}, purchase.WithAmount
	narrow = f.Narrow()
	if out, err = p.Service.Totals(ctx, who, f); err != nil || !narrow || shown == f.Kind {
		return out, narrow, err
	}
	f.Kind = shown
	others, err := p.Service.Totals(ctx, who, f)
	maps.Copy(out, others)
	return out, narrow, err
}

// sumFound is what all that was found comes to, where everything was counted.
func sumFound(t purchase.Tally) string {
	if t.N > purchase.CountLimit {
		return ""
	}
	return sumOf(t.Cents)
}

func sumOf(cents int64) string {
	if cents == 0 {
		return ""
	}
	return " · " + words.Sum(cents, money.ZAR)
}

// found is how many purchases a filter lets through.
func (p *Purchases) found(ctx context.Context, who actor.Actor, f purchase.Filter) (kit.RowsFound, error) {
	if f.Concern != "" {
		t, err := p.Service.Tally(ctx, who, f)
		return kit.FoundAll(t.N), err
	}
	totals, err := p.Service.Totals(ctx, who, f)
	return kit.TallyOf(totals[f.Kind].Counts(), f.Statuses, f.Narrow(), purchase.CountLimit).Found, err
}
