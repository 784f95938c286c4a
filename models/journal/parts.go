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
	Day  calendar.Date
	N    int64
	ends []int64 // of a day that no file holds: the numbers of the entries with which its pieces end, without the last
}

// Parts divides what is asked for into as few files as hold it, each of whole days that follow one another, or of a
// piece of one day that no file holds whole, and tells how many entries they have together.
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
	most := int64(s.most())
	for i, d := range days {
		if d.N <= most {
			continue
		}
		if ask.ByDay {
			return nil, 0, fault.At("to", "day_too_large", "On %s alone there are more than %s kinds of entries.",
				d.Day.Format("2 January 2006"), plural.Number(most))
		}
		if days[i].ends, err = s.Store.ends(ctx, who.MerchantID, ask, d.Day, most); err != nil {
			return nil, 0, err
		}
	}
	parts, entries = divide(ask, days, most)
	return parts, entries, nil
}

func divide(ask Ask, days []dayCount, most int64) (parts []Ask, entries int64) {
	part, held := ask, int64(0)
	for _, d := range days {
		if d.N > most {
			if held > 0 {
				part.To = d.Day.AddDays(-1)
				parts = append(parts, part)
			}
			parts = append(parts, pieces(ask, d)...)
			part.From, held = d.Day.AddDays(1), 0
			entries += d.N
			continue
		}
		if held += d.N; held > most {
			part.To = d.Day.AddDays(-1)
			parts = append(parts, part)
			part.From, held = d.Day, d.N
		}
		entries += d.N
	}
	if part.To = ask.To; held == 0 && len(parts) > 0 { // the last day was divided
		return parts, entries
	}
	return append(parts, part), entries
}

// pieces divides a day.
func pieces(ask Ask, d dayCount) (parts []Ask) {
	ask.From, ask.To = d.Day, d.Day
	for _, end := range append(d.ends, 0) {
		ask.Piece, ask.UpTo = ask.Piece+1, end
		parts = append(parts, ask)
		ask.After = end
	}
	return parts
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
