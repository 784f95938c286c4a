package journal

import (
	"cmp"
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// dayCount is how many entries a file has of a day.
type dayCount struct {
	Day calendar.Date
	N   int64
}

// Parts divides what is asked for into as few files as hold it, each of whole days that follow one another, and tells
// how many entries they have together.
func (s *Service) Parts(ctx context.Context, who actor.Actor, ask Ask) (parts []Ask, entries int64, err error) {
	if err := who.May(actor.Books); err != nil {
		return nil, 0, err
	}
	wrong := ask.check()
	if err := wrong.Err(); err != nil {
		return nil, 0, err
	}
	days, err := s.Store.perDay(ctx, who.MerchantID, ask)
	if err != nil {
		return nil, 0, err
	}
	return divide(ask, days, int64(s.most()))
}

func divide(ask Ask, days []dayCount, most int64) (parts []Ask, entries int64, err error) {
	part, held := ask, int64(0)
	for _, d := range days {
		if d.N > most {
			return nil, 0, fault.At("to", "day_too_large", "On %s alone there are more than %s entries. Choose one entry for "+
				"each day and kind.", d.Day.Format("2 January 2006"), plural.Number(most))
		}
		if held += d.N; held > most {
			part.To = d.Day.AddDays(-1)
			parts = append(parts, part)
			part.From, held = d.Day, d.N
		}
		entries += d.N
	}
	part.To = ask.To
	return append(parts, part), entries, nil
}

// Part reads one of the parts. That they were exported is kept by who asks for them.
func (s *Service) Part(ctx context.Context, who actor.Actor, ask Ask, fits func(*Book) fault.Problems) (Book, error) {
	if err := who.May(actor.Books); err != nil {
		return Book{}, err
	}
	b, err := s.read(ctx, who, ask, fits)
	b.Ask = ask
	return b, err
}

// ExportParts gives the journal of some days in as few parts as files hold, one after the other, and keeps who took it.
func (s *Service) ExportParts(ctx context.Context, who actor.Actor, ask Ask, fits func(*Book) fault.Problems,
	each func(b *Book, of int) error) error {
	parts, _, err := s.Parts(ctx, who, ask)
	if err != nil {
		return err
	}
	if len(parts) == 1 {
		b, err := s.Export(ctx, who, ask, fits)
		if err != nil {
			return err
		}
		return each(&b, 1)
	}
	var first, last string
	var n int
	for _, part := range parts {
		b, err := s.Part(ctx, who, part, fits)
		if err == nil {
			err = each(&b, len(parts))
		}
		if err != nil {
			return err
		}
		n, first, last = n+len(b.Entries), cmp.Or(first, b.first()), cmp.Or(b.last(), last)
	}
	return s.exported(ctx, who, ask, n, first, last)
}
