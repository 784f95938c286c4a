package book

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"

	"debitdesk/models/actor"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// verdictHeads stand behind the columns of the file.
var verdictHeads = []string{"_line", "_verdict", "_record", "_reason"}

// Verdicts writes the file as it was sent, in its order, with what becomes of each row beside it: its line, the
// verdict, the id of the client, and the reasons. Numbers of people are masked, or in full for who may see them, which
// is audited; the reasons never hold any.
func (s *Service) Verdicts(ctx context.Context, who actor.Actor, id uuid.UUID, full bool, to io.Writer) error {
	i, err := s.Get(ctx, who, id)
	if err == nil && full {
		err = who.May(actor.Reveal)
	}
	switch {
	case err != nil:
		return err
	case !i.EmptiedAt.IsZero():
		return fault.New(fault.Conflict, "import_emptied", "The rows of this import were deleted after the time in which it "+
			"can be undone.")
	}
	if full {
		if err := s.InTx(ctx, func(tx *database.Tx) error {
			note(tx, who, i, "import.verdicts", fmt.Sprintf("The rows of the import %s were downloaded, with numbers in full.",
				i.Name), nil, nil)
			return nil
		}); err != nil {
			return err
		}
	}
	out, done := encoded(to, i.Format.Encoding)
	w := csv.NewWriter(out)
	w.UseCRLF = true
	w.Comma = ','
	if sep := []rune(i.Format.Separator); len(sep) == 1 {
		w.Comma = sep[0]
	}
	heads := make([]string, 0, len(i.Format.Header)+len(verdictHeads))
	for n := range i.Format.Header {
		heads = append(heads, i.ColumnName(n))
	}
	if err := w.Write(append(heads, verdictHeads...)); err != nil {
		return err
	}
	err = s.each(ctx, i, RowQuery{}, func(rows []Row) error {
		for _, r := range rows {
			if err := w.Write(i.verdict(r, full)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if w.Flush(); w.Error() != nil {
		return w.Error()
	}
	return done()
}

func (i Import) verdict(r Row, full bool) []string {
	cells := r.Cells
	if !full {
		cells = i.Mapping.masked(cells)
	}
	out := make([]string, len(i.Format.Header), len(i.Format.Header)+len(verdictHeads))
	for n := range out {
		if n < len(cells) {
			out[n] = asText(cells[n])
		}
	}
	record := ""
	if r.ClientID != uuid.Nil {
		record = r.ClientID.String()
	}
	return append(out, strconv.Itoa(r.N), string(r.Verdict), record, asText(r.Reasons()))
}

// Reasons are all findings about a row in words; of one that changes something, what it changes.
func (r Row) Reasons() string {
	var said []string
	if r.Reason != "" {
		said = append(said, r.Reason)
	}
	for _, f := range r.Findings {
		if words := f.Words(); words != r.Reason {
			said = append(said, words)
		}
	}
	if r.Verdict == Updated {
		for _, c := range r.Changes {
			said = append(said, c.Words())
		}
	}
	return strings.Join(said, "; ")
}

// Words is a change for a person.
func (c Change) Words() string {
	switch {
	case c.Was == "":
		return c.What + ": " + c.Is
	case c.Is == "":
		return c.What + ": no longer " + c.Was
	}
	return c.What + ": " + c.Was + " becomes " + c.Is
}

var harmless = regexp.MustCompile(`^[+-]?[\d .,()/-]*$`)

// asText keeps a spreadsheet from taking a text for a formula.
func asText(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) && !harmless.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// encoded writes texts in the encoding in which a file came.
func encoded(to io.Writer, e sheet.Encoding) (out io.Writer, done func() error) {
	if e == sheet.Windows1252 {
		w := transform.NewWriter(to, encoding.ReplaceUnsupported(charmap.Windows1252.NewEncoder()))
		return w, w.Close
	}
	w := bufio.NewWriter(to)
	if e == sheet.UTF8Marked || e == sheet.UTF16Little || e == sheet.UTF16Big {
		_, _ = w.WriteString("\ufeff") // spreadsheets need the mark; UTF-16 comes back as UTF-8 with it
	}
	return w, w.Flush
}
