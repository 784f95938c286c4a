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
	"strings"

	"debitdesk/models/fault"
)

// calculated refuses a sheet with a formula whose result is not stored: programs that write workbooks without
// calculating them leave it out, and its cell would be read as an empty one.
func (w *workbook) calculated(src io.ReadSeeker) error {
	if w.sheet == "" {
		return nil
	}
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("go to the start of the workbook: %w", err)
	}
	archive, _, err := openZip(src)
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
		cell, err := uncalculated(io.LimitReader(r, maxUnzipped))
		_ = r.Close()
		switch {
		case err != nil:
			return unreadWorkbook(err)
		case cell != "":
			return fault.New(fault.Invalid, "not_calculated", "Cell %s is a formula that was never calculated, so the file "+
				"does not hold its result. Open the file in a spreadsheet program and save it there, or replace the "+
				"formulas with their values.", cell)
		}
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
	cellRef  = regexp.MustCompile(`\br="([A-Z]{1,3}[0-9]{1,7})"`)
	textCell = []byte(`t="str"`)
)

// uncalculated names the first cell of a sheet with a formula and without a result. An empty text is a result.
func uncalculated(sheet io.Reader) (string, error) {
	r := bufio.NewReaderSize(sheet, 64<<10)
	var ref string
	var isText, formula, value, result bool
	for {
		token, err := r.ReadSlice('>')
		switch {
		case errors.Is(err, io.EOF):
			return "", nil
		case errors.Is(err, bufio.ErrBufferFull):
			value = true
			continue
		case err != nil:
			return "", err //nolint:wrapcheck // the caller words it
		}
		text, tag, found := bytes.Cut(token[:len(token)-1], []byte("<"))
		if !found {
			continue
		}
		tag = bytes.TrimSpace(tag)
		name := local(tag)
		if bytes.HasPrefix(tag, []byte("/")) {
			name = "/" + name
		}
		switch name {
		case "c":
			isText, formula, value, result, ref = bytes.Contains(tag, textCell), false, false, false, ""
			if m := cellRef.FindSubmatch(tag); m != nil {
				ref = string(m[1])
			}
		case "f":
			formula = true
		case "v":
			result = true
		case "/v":
			value = value || len(bytes.TrimSpace(text)) > 0
		case "/c":
			if formula && !value && (!isText || !result) {
				return ref, nil
			}
			formula = false
		}
	}
}
