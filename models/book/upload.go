package book

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/book/source"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

const copied = 1000 // rows that travel to the database at once

// Upload is a file of clients.
type Upload struct {
	Name    string
	BrandID uuid.UUID // zero: the oldest one
	Content io.ReadSeeker
	Told    sheet.Told
	CutOver Day     // zero: today
	With    []Extra // files whose columns belong to the same clients
	Planned []Extra // files of debits that the old system is still to make
}

// Extra is another file of an upload.
type Extra struct {
	Name    string
	Content io.ReadSeeker
	Told    sheet.Told
}

// Upload reads a file and keeps its rows sealed, all of it or nothing. What the columns mean is guessed, or remembered
// from a file with the same heading.
func (s *Service) Upload(ctx context.Context, who actor.Actor, in Upload) (i Import, err error) {
	if err := who.May(actor.Bill); err != nil {
		return i, err
	}
	if in.BrandID, err = s.brandOf(ctx, who, in.BrandID); err != nil {
		return i, err
	}
	today := dayOfMoment(s.Now())
	if in.CutOver.IsZero() {
		in.CutOver = today
	}
	if err := checkCutOver(in.CutOver, today); err != nil {
		return i, err
	}
	first, err := source.Open(in.Content, in.Told)
	if err != nil {
		return i, err
	}
	defer func() { _ = first.Close() }()
	file, err := together(first, in)
	if err != nil {
		return i, err
	}
	i = Import{MerchantID: who.MerchantID, BrandID: in.BrandID, Name: shortName(in.Name), State: ToMap,
		Format: file.Format, Source: file.Report, CutOver: in.CutOver, Creator: who,
		Templates: []uuid.UUID{}, Live: []LiveGroup{}, Kept: []Kept{},
		Hands: []Hand{}, Fingerprint: []byte{}}
	return s.take(ctx, who, i, file)
}

func checkCutOver(day, today Day) error {
	if day.Before(today) || day.After(today.AddDays(366)) {
		return fault.At("cut_over", "invalid", "The cut-over day is today or a day within a year: from it on the debits "+
			"come "+
			"from here, and the old system stops.")
	}
	return nil
}

func (s *Service) brandOf(ctx context.Context, who actor.Actor, id uuid.UUID) (uuid.UUID, error) {
	brands, err := s.Purchases.Merchants().Brands(ctx, who.MerchantID)
	if err != nil {
		return id, err
	}
	for _, b := range brands {
		if b.ID == id || id == uuid.Nil {
			return b.ID, nil
		}
	}
	return id, fault.At("brand_id", "does_not_exist", "Choose the brand that debits these clients.")
}

func shortName(name string) string {
	name = strings.TrimSpace(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, ""), unicode.IsControl), " "))
	if letters := []rune(name); len(letters) > 120 {
		name = string(letters[:119]) + "…"
	}
	if name == "" {
		return "Clients"
	}
	return name
}

// fingerprint names the content of a file, whatever form it was in.
type fingerprint struct{ hash.Hash }

func newFingerprint() fingerprint { return fingerprint{sha256.New()} }

func (f fingerprint) add(cells []string) {
	for _, c := range cells {
		_, _ = fmt.Fprintf(f, "%d:%s", len(c), c)
	}
	_, _ = f.Write([]byte{'\n'})
}

func (f fingerprint) sum() []byte { return []byte(hex.EncodeToString(f.Sum(nil))) }

// take keeps an import with the rows of a file.
func (s *Service) take(ctx context.Context, who actor.Actor, i Import, file *source.File) (Import, error) {
	heading := newFingerprint()
	heading.add(i.Format.Header)
	i.HeaderHash = heading.sum()
	known, remembered, err := s.Store.mappingFor(ctx, who.MerchantID, i.HeaderHash)
	if err != nil {
		return i, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		i.ID, i.CreatedAt, i.UpdatedAt, i.Rows = tx.NewID(), tx.Now(), tx.Now(), 0
		i.touched(who)
		insertImport(tx, i)
		content, survey := newFingerprint(), NewSurvey(len(i.Format.Header))
		content.add(i.Format.Header)
		waiting := make([]Row, 0, copied)
		write := func() error {
			err := addRows(tx, i, waiting)
			i.Rows += len(waiting)
			waiting = waiting[:0]
			return err
		}
		err := file.Each(func(r sheet.Row) error {
			content.add(r.Cells)
			survey.See(r.Cells, r.Numbers...)
			waiting = append(waiting, Row{N: r.Number, Cells: r.Cells, Broken: r.Broken, Numbers: r.Numbers, State: Fresh})
			if len(waiting) == copied {
				return write()
			}
			return nil
		})
		if err == nil {
			err = write()
		}
		if err != nil {
			return err
		}
		if i.Rows == 0 {
			return fault.New(fault.Invalid, "empty_file", "The file has no rows below its heading.")
		}
		i.ContentHash, i.Counts = content.sum(), Counts{Fresh: i.Rows}
		switch {
		case remembered:
			i.Mapping = written(survey.Written(i.Format, known), file.Columns)
		case len(file.Columns) > 0:
			i.Mapping = written(survey.Written(i.Format, survey.meant(*file)), file.Columns)
		default:
			i.Mapping = survey.Guess(i.Format)
		}
		note(tx, who, i, "import.uploaded", fmt.Sprintf("%q was uploaded with %s.", i.Name, plural.Of(i.Rows, "row")), nil,
			map[string]any{"rows": i.Rows, "cut_over": i.CutOver.String(), "layout": i.Source.Layout})
		if err := saveImport(tx, i); err != nil {
			return err
		}
		return tx.Answered(i)
	})
	return i, err
}

// Survey looks at every row of an import: samples of each column, and how its texts are written.
func (s *Service) Survey(ctx context.Context, who actor.Actor, i Import) (*Survey, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	survey := NewSurvey(len(i.Format.Header))
	return survey, s.each(ctx, i, RowQuery{}, func(rows []Row) error {
		for _, r := range rows {
			survey.See(r.Cells, r.Numbers...)
		}
		return nil
	})
}

// each reads the rows of an import, some at a time.
func (s *Service) each(ctx context.Context, i Import, q RowQuery, see func([]Row) error) error {
	for q.Limit = 2 * copied; ; {
		rows, err := s.Store.rows(ctx, i.MerchantID, i.ID, q)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := see(rows); err != nil {
			return err
		}
		q.After = rows[len(rows)-1].N
	}
}
