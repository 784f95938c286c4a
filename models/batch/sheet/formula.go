package sheet

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"

	"debitdesk/models/fault"
)

// calculated looks at the cells as they are stored, and refuses a sheet with a formula whose result is not stored:
// programs that write workbooks without calculating them leave it out, and its cell would be read as an empty one.
func (w *workbook) calculated(src io.ReadSeeker) error {
	if w.sheet == "" {
		return nil
	}
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("go to the start of the workbook: %w", err)
	}
	archive, _, err := openZip(src, w.limits.Bytes)
	if err != nil {
		return err
	}
	name := partOf(archive, w.sheet)
	for _, part := range archive.File {
		if strings.TrimPrefix(part.Name, "/") != name {
			continue
		}
		r, err := part.Open()
		if err != nil {
			return unreadWorkbook(err)
		}
		cell, numbers, err := scanCells(io.LimitReader(r, w.limits.unzipped))
		_ = r.Close()
		switch {
		case err != nil:
			return unreadWorkbook(err)
		case cell != "":
			return fault.New(fault.Invalid, "not_calculated", "Cell %s is a formula that was never calculated, so the file "+
				"does not hold its result. Open the file in a spreadsheet program and save it there, or replace the "+
				"formulas with their values.", cell)
		}
		w.numbers = numbers
	}
	return nil
}

// partOf finds the part of the archive that holds a sheet; empty when the workbook does not say.
func partOf(archive *zip.Reader, sheet string) string {
	var book struct {
		Sheets []struct {
			Name string     `xml:"name,attr"`
			All  []xml.Attr `xml:",any,attr"`
		} `xml:"sheets>sheet"`
	}
	var parts struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if readPart(archive, "xl/workbook.xml", &book) != nil ||
		readPart(archive, "xl/_rels/workbook.xml.rels", &parts) != nil {
		return ""
	}
	for _, s := range book.Sheets {
		if s.Name != sheet {
			continue
		}
		for _, a := range s.All {
			for _, p := range parts.All {
				if a.Name.Local == "id" && a.Value == p.ID {
					if strings.HasPrefix(p.Target, "/") {
						return strings.TrimPrefix(p.Target, "/")
					}
					return path.Join("xl", p.Target)
				}
			}
		}
	}
	return ""
}

func readPart(archive *zip.Reader, name string, into any) error {
	r, err := archive.Open(name)
	if err != nil {
		return err //nolint:wrapcheck // the caller only asks whether there is one
	}
	defer func() { _ = r.Close() }()
	return xml.NewDecoder(io.LimitReader(r, maxInMemory)).Decode(into) //nolint:wrapcheck // as above
}

var (
	cellRef  = regexp.MustCompile(`\br="([A-Z]{1,3})([0-9]{1,7})"`)
	rowRef   = regexp.MustCompile(`\br="([0-9]{1,7})"`)
	cellType = regexp.MustCompile(`\bt="([a-zA-Z]+)"`)
	textCell = []byte(`t="str"`)
)

// scanCells names the first cell of a sheet with a formula and without a result, and finds the cells that are numbers
// with decimals, by row. An empty text is a result.
func scanCells(sheet io.Reader) (unsolved string, numbers map[int][]int, err error) {
	r := bufio.NewReaderSize(sheet, 64<<10)
	s := cellScan{numbers: map[int][]int{}}
	for {
		token, err := r.ReadSlice('>')
		switch {
		case errors.Is(err, io.EOF):
			return "", s.numbers, nil
		case errors.Is(err, bufio.ErrBufferFull):
			s.value = true
			continue
		case err != nil:
			return "", nil, err //nolint:wrapcheck // the caller words it
		}
		text, tag, found := bytes.Cut(token[:len(token)-1], []byte("<"))
		if !found {
			continue
		}
		if s.see(text, bytes.TrimSpace(tag)) {
			return s.ref, nil, nil
		}
	}
}

// cellScan is where a walk over the cells of a sheet stands.
type cellScan struct {
	numbers                                  map[int][]int
	ref                                      string
	row, column                              int // from 1
	isText, isNumber, formula, value, result bool
}

// see takes the text before a tag and the tag. It tells that the cell which ends here was never calculated.
func (s *cellScan) see(text, tag []byte) (unsolved bool) {
	name := local(tag)
	if bytes.HasPrefix(tag, []byte("/")) {
		name = "/" + name
	}
	switch name {
	case "row":
		s.row, s.column = s.row+1, 0
		if m := rowRef.FindSubmatch(tag); m != nil {
			s.row, _ = strconv.Atoi(string(m[1]))
		}
	case "c":
		s.begin(tag)
	case "f":
		s.formula = true
	case "v":
		s.result = true
	case "/v":
		s.value = s.value || len(bytes.TrimSpace(text)) > 0
		if s.isNumber && bytes.ContainsAny(text, ".E") {
			s.numbers[s.row] = append(s.numbers[s.row], s.column-1)
		}
	case "/c":
		if s.formula && !s.value && (!s.isText || !s.result) {
			return true
		}
		s.formula = false
	}
	return false
}

// begin takes the tag that opens a cell. A cell without a place stands beside the one before it.
func (s *cellScan) begin(tag []byte) {
	s.isText, s.formula, s.value, s.result, s.ref = bytes.Contains(tag, textCell), false, false, false, ""
	s.column++
	if m := cellRef.FindSubmatch(tag); m != nil {
		s.ref = string(m[1]) + string(m[2])
		s.column = 0
		for _, letter := range m[1] {
			s.column = 26*s.column + int(letter-'A') + 1
		}
	}
	kind := cellType.FindSubmatch(tag)
	s.isNumber = kind == nil || string(kind[1]) == "n"
}
