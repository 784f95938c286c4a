package files

import (
	"fmt"
	"io"
	"path"
	"strings"

	"debitdesk/models/journal"
)

// Sheets writes invoices and credit notes into as many files as their program needs. Nothing of a file is kept here, so
// that there may be any number of them.
type Sheets struct {
	Format
	// Create begins a file. It is not called any more once the program would refuse a document.
	Create func(name string) (io.Writer, error)
	ask    journal.Ask
	total  int64
	files  int
	wrong  xeroProblems
}

// SheetsOf begins to write so many documents.
func (f Format) SheetsOf(d *journal.Documents, create func(name string) (io.Writer, error)) *Sheets {
	return &Sheets{Format: f, Create: create, ask: d.Ask, total: d.Total, wrong: xeroProblems{again: d.Repeats}}
}

// Several tells that there is more than one file.
func (s *Sheets) Several() bool { return s.total > int64(s.most) }

// Add writes the next file: as many documents as one holds, or the last of them.
func (s *Sheets) Add(b *journal.Book) error {
	if s.wrong.add(b); s.refuses() {
		return nil // Err has it, with what is found in the rest
	}
	s.files++
	name := s.FileName(s.ask)
	if s.Several() {
		name = PartName(name, s.files)
	}
	to, err := s.Create(name)
	if err != nil {
		return err
	}
	return s.Write(to, b)
}

func (s *Sheets) refuses() bool { return s.Err() != nil }

// Err is what the program would refuse among all that were added.
func (s *Sheets) Err() error {
	wrong := append(s.Takes(s.ask), s.wrong.problems()...)
	return wrong.Err()
}

// Close writes the heading of a file without a document, where there was none to add.
func (s *Sheets) Close(d *journal.Documents) error {
	if s.files > 0 || s.refuses() {
		return nil
	}
	return s.Add(&d.Book)
}

// PartName is what one of several files is called, from 1.
func PartName(name string, n int) string {
	ext := path.Ext(name)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
}

// ZipName is what the ZIP of several files is called.
func ZipName(name string) string { return strings.TrimSuffix(name, path.Ext(name)) + ".zip" }
