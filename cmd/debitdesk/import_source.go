package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"debitdesk/models/actor"
	"debitdesk/models/book"
	"debitdesk/models/book/source"
	"debitdesk/models/calendar"
)

// importSource is what reading a file of a known layout found.
type importSource struct {
	Layout    string        `json:"layout"`
	Said      string        `json:"said"` // in one sentence
	CheckSums []source.Sum  `json:"check_sums"`
	Warnings  []string      `json:"warnings"`
	Limits    []string      `json:"limits"`
	With      []source.With `json:"with,omitempty"` // other files of the import
}

func sourceOf(r source.Report) *importSource {
	if !r.Known() && len(r.With) == 0 {
		return nil
	}
	return &importSource{r.Layout, r.Words(), append([]source.Sum{}, r.Sums...), append([]string{}, r.Warnings...),
		append([]string{}, r.Limits...), r.With}
}

// upload reads a file, with the others that belong to it.
func (m *importFileCmd) upload(ctx context.Context, s *book.Service, who actor.Actor, path string,
	cutOver calendar.Date) (i book.Import, err error) {
	in := book.Upload{Name: filepath.Base(path), CutOver: cutOver}
	var open []*os.File
	defer func() {
		for _, f := range open {
			err = errors.Join(err, f.Close())
		}
	}()
	take := func(path string) (f *os.File, err error) {
		if f, err = os.Open(path); err == nil { //nolint:gosec // the operator names the file
			open = append(open, f)
		}
		return f, err
	}
	f, err := take(path)
	if err != nil {
		return i, err
	}
	in.Content = f
	for _, one := range []struct {
		paths []string
		to    *[]book.Extra
	}{{m.With, &in.With}, {m.Planned, &in.Planned}} {
		for _, path := range one.paths {
			f, err := take(path)
			if err != nil {
				return i, err
			}
			*one.to = append(*one.to, book.Extra{Name: filepath.Base(path), Content: f})
		}
	}
	return s.Upload(ctx, who, in)
}
