package batch

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/plural"
)

// copied is how many rows travel to the database at once.
const copied = 1000

// Upload is a file, or cells pasted from one.
type Upload struct {
	Name    string
	Source  Source
	BrandID uuid.UUID
	Content io.ReadSeeker
	Told    sheet.Told
}

// Upload reads a file and keeps its rows, a thousand at a time, in one transaction: all of it or nothing. What is wrong
// in a row is kept with it. The mapping is guessed, or remembered from a file with the same heading.
func (s *Service) Upload(ctx context.Context, who actor.Actor, in Upload) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	if err := s.hasBrand(ctx, who, in.BrandID); err != nil {
		return Batch{}, err
	}
	file, err := sheet.Open(in.Content, in.Told)
	if err != nil {
		return Batch{}, err
	}
	defer func() { _ = file.Close() }()
	b := Batch{MerchantID: who.MerchantID, BrandID: in.BrandID, Name: shortName(in.Name), Source: in.Source, State: ToMap,
		Format: file.Format, Creator: who}
	return s.take(ctx, who, b, file.Each)
}

func (s *Service) hasBrand(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	_, err := merchant.Store(s.Store).Brand(ctx, who.MerchantID, id)
	if fault.Is(err, fault.NotFound) || id == uuid.Nil {
		return fault.At("brand_id", "does_not_exist", "Choose the brand that sends the invoices.")
	}
	return err
}

func shortName(name string) string {
	name = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, ""), unicode.IsControl), " ")
	name = strings.TrimSpace(name)
	if runes := []rune(name); len(runes) > 120 {
		name = string(runes[:119]) + "…"
	}
	if name == "" {
		return "Rows"
	}
	return name
}

// take keeps a batch with the rows that each gives.
func (s *Service) take(ctx context.Context, who actor.Actor, b Batch,
	each func(func(sheet.Row) error) error) (Batch, error) {
	b.HeaderHash = []byte(NewFingerprint(b.Format.Header).Sum())
	known, found, err := s.Store.mappingFor(ctx, who.MerchantID, b.HeaderHash)
	if err != nil {
		return b, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		b.ID, b.CreatedAt, b.UpdatedAt, b.Rows = tx.NewID(), tx.Now(), tx.Now(), 0
		b.touched(who)
		insertBatch(tx, b)
		content, survey := NewFingerprint(b.Format.Header), NewSurvey(len(b.Format.Header))
		waiting := make([]Row, 0, copied)
		write := func() error {
			err := addRows(tx, b, waiting)
			b.Rows += len(waiting)
			waiting = waiting[:0]
			return err
		}
		err := each(func(r sheet.Row) error {
			content.Add(r.Cells)
			survey.See(r.Cells, r.Numbers...)
			waiting = append(waiting, Row{N: r.Number, Cells: r.Cells, Broken: r.Broken, Numbers: r.Numbers,
				State: Fresh})
			if len(waiting) == copied {
				return write()
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := write(); err != nil {
			return err
		}
		if b.Rows == 0 {
			return fault.New(fault.Invalid, "empty_file", "The file has no rows below its heading.")
		}
		b.ContentHash = []byte(content.Sum())
		switch guessed := survey.Guess(b.Format); {
		case b.Source == FromClients:
		case found:
			known.Due = Day{} // that of last month's file is not that of this one
			b.Mapping = survey.Written(b.Format, known)
		default:
			b.Mapping = guessed
		}
		tx.Audit(who, audit.Entry{Action: "batch.uploaded", ObjectType: "batch", ObjectID: b.ID,
			Text:  fmt.Sprintf("%q was uploaded with %s.", b.Name, plural.Of(b.Rows, "row")),
			After: map[string]any{"rows": b.Rows, "source": b.Source}})
		if err := save(tx, &b); err != nil {
			return err
		}
		return tx.Answered(b)
	})
	return b, err
}

// mask hides account and identity numbers: where the mapping knows them, and where a column without a meaning looks
// like one.
func (m Mapping) mask(cells []string) []string {
	out := slices.Clone(cells)
	for i, c := range out {
		var f Field
		if i < len(m.Columns) {
			f = m.Columns[i].Field
		}
		out[i] = Masked(f, c)
	}
	return out
}

// Masked is a text of a column as pages show it: what is, or looks like, an account or identity number is hidden.
func Masked(f Field, text string) string {
	switch digits := bank.CleanAccount(text); {
	case f == PersonalCode:
		return bank.CleanID(text).String()
	case f == "" && kindOf(Tidy(text)) == Due: // a date has as many digits as an account number
	case f == BankAccount, f == "" && len(digits) >= 7 && strings.Trim(digits.Reveal(), "0123456789") == "":
		return digits.String()
	}
	return text
}

// Chosen is the same invoice for some clients.
type Chosen struct {
	BrandID                  uuid.UUID
	Amount, Due, Description string // as typed; every row carries them and can be edited
	Charge                   bool
	// Clients gives each of them once.
	Clients func(ctx context.Context, see func(client.Client) error) error
}

// FromClients makes a batch of clients, such as those that a list shows.
func (s *Service) FromClients(ctx context.Context, who actor.Actor, in Chosen) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	if err := s.hasBrand(ctx, who, in.BrandID); err != nil {
		return Batch{}, err
	}
	format, mapping := chosenFormat()
	b := Batch{MerchantID: who.MerchantID, BrandID: in.BrandID, Name: "Chosen clients", Source: FromClients, State: ToMap,
		Format: format, Mapping: mapping, Creator: who}
	var rows []sheet.Row // read before the transaction, which reads by its own connection alone
	if err := in.Clients(ctx, func(c client.Client) error {
		if len(rows) == sheet.Usual.Rows {
			return fault.New(fault.TooLarge, "too_many_rows", "These are more than 50 000 clients. Narrow the filter.")
		}
		rows = append(rows, sheet.Row{Number: len(rows) + 2, Cells: chosenCells(c, in)}) // the heading is the first
		return nil
	}); err != nil {
		return b, err
	}
	if len(rows) == 0 {
		return b, fault.New(fault.Invalid, "no_clients", "No client matches. Change the filters of the list.")
	}
	return s.take(ctx, who, b, func(see func(sheet.Row) error) error {
		for _, row := range rows {
			if err := see(row); err != nil {
				return err
			}
		}
		return nil
	})
}

func chosenFormat() (sheet.Format, Mapping) {
	columns := []Field{ClientID, FullName, Email, Amount, Due, Product, Charge}
	f, m := sheet.Format{Kind: sheet.CSV, HeaderRow: 1}, Mapping{}
	for _, c := range columns {
		f.Header = append(f.Header, c.Label())
		m.Columns = append(m.Columns, Target{Field: c})
	}
	return f, m
}

func chosenCells(c client.Client, in Chosen) []string {
	charge := ""
	if in.Charge {
		charge = "yes"
	}
	return []string{c.ID.String(), c.FullName, c.Email, in.Amount, in.Due, in.Description, charge}
}

// Survey looks at every row of a batch: samples of each column, and how its texts are written.
func (s *Service) Survey(ctx context.Context, who actor.Actor, b Batch) (*Survey, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	survey := NewSurvey(len(b.Format.Header))
	for q := (RowQuery{Limit: 2 * copied}); ; {
		rows, err := s.Store.rows(ctx, who.MerchantID, b.ID, q)
		if err != nil || len(rows) == 0 {
			return survey, err
		}
		for _, r := range rows {
			survey.See(r.Cells, r.Numbers...)
		}
		q.After = rows[len(rows)-1].N
	}
}
