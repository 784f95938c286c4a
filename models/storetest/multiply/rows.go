package multiply

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/database/seal"
)

// null is how COPY writes that there is no value.
const null = `\N`

// readRows takes the rows of a table, in the order of its key.
func (f *filling) readRows(ctx context.Context, t *table) error {
	var out bytes.Buffer
	order := ""
	if len(t.key) > 0 {
		order = " ORDER BY " + strings.Join(t.key, ", ")
	}
	q := "COPY (SELECT " + t.names() + " FROM " + t.name + order + ") TO STDOUT"
	if _, err := f.conn.PgConn().CopyTo(ctx, &out, q); err != nil {
		return err
	}
	for line := range strings.Lines(out.String()) {
		values := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if f.past(t, values) {
			continue
		}
		row, err := f.rowOf(t, values)
		if err != nil {
			return err
		}
		t.rows = append(t.rows, row)
	}
	if most := mostRows[t.name]; most > 0 && len(t.rows) > 0 {
		t.limit = most / len(t.rows)
	}
	return nil
}

// past tells whether the product is about to drop a row for its age.
func (f *filling) past(t *table, values []string) bool {
	days, ok := youngTables[t.name]
	if !ok {
		return false
	}
	for i, c := range t.columns {
		if c.name == "created_at" || c.name == "at" || c.name == "stored_at" {
			at, err := time.Parse("2006-01-02 15:04:05.999999-07", values[i])
			return err == nil && at.Before(f.until.AddDate(0, 0, 1-days))
		}
	}
	return false
}

func (f *filling) rowOf(t *table, values []string) ([]piece, error) {
	var row []piece
	for i, c := range t.columns {
		if i > 0 {
			row = append(row, literal("\t"))
		}
		pieces, err := f.value(t, c, values, i)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		row = append(row, pieces...)
	}
	return merged(append(row, literal("\n"))), nil
}

// merged puts literals that follow each other together.
func merged(pieces []piece) (out []piece) {
	for _, p := range pieces {
		last := len(out) - 1
		if text, ok := p.(literal); ok && last >= 0 {
			if before, ok := out[last].(literal); ok {
				out[last] = before + text
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// value is the value of a column in the copies.
func (f *filling) value(t *table, c column, values []string, i int) ([]piece, error) {
	text := values[i]
	same := []piece{literal(text)}
	moves := youngTables[t.name] == 0
	if text == null {
		return same, nil
	}
	if series, ok := counting[t.name+"."+c.name]; ok || c.identity {
		return f.counted(series, text)
	}
	if t.name == "invoices" && c.name == "year" {
		return []piece{year(f.issued[f.get(t, values, "number")])}, nil
	}
	switch c.kind {
	case "uuid":
		return f.pieces(text, false), nil
	case "date", "timestamptz":
		return f.moved(text, moves && !slices.Contains(standing, t.name+"."+c.name)), nil
	case "bytea":
		return f.bytes(t, c, values, text)
	case "jsonb":
		return f.pieces(text, moves), nil
	case "text", "_text", "varchar":
		return f.pieces(text, false), nil
	case "tsvector":
		return f.words(text), nil
	case "bool", "int2", "int4", "int8", "_uuid", "numeric", "_int4":
		return same, nil
	}
	return nil, fmt.Errorf("no rule says how values of the type %s are copied", c.kind)
}

func (f *filling) get(t *table, values []string, name string) string {
	return values[slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })]
}

func (f *filling) counted(series, text string) ([]piece, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, err
	}
	step := f.steps[series]
	switch series {
	case "seq", "turn":
		return []piece{order{n, step}}, nil
	case "":
		return nil, fmt.Errorf("a number that the database counts: give its series a name in counting")
	}
	return []piece{number{n, step, 0}}, nil
}

// moved is a time or a day that moves back when it has been.
func (f *filling) moved(text string, moves bool) []piece {
	at, err := time.Parse(time.DateOnly, text[:min(len(text), 10)])
	if err != nil || !moves || at.After(f.until) {
		return []piece{literal(text)}
	}
	if len(text) > 10 {
		if at, err = time.Parse("2006-01-02 15:04:05.999999-07", strings.Replace(text, "T", " ", 1)); err == nil &&
			at.After(f.until) {
			return []piece{literal(text)}
		}
	}
	at, _ = time.Parse(time.DateOnly, text[:10])
	return []piece{dayOf(at), literal(text[10:])}
}

// marks are the parts of a text that differ from copy to copy: ids, addresses, mobile phones, references (KSF132,
// KSF-1045, KSF0000000023), numbers of invoices; and in JSON times and days.
var marks = regexp.MustCompile(`(?i)([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})` +
	`|([a-z.]+)(@example\.com)|\b(27[678]\d{8})\b|\b(KSF-)(\d+)\b|\b(KSF)(\d+)\b|\b([A-Z]+-)(\d{4})(-)(\d{6})\b` +
	`|\b(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d(?:\.\d+)?Z|\b)`)

// pieces finds the marks in a text.
func (f *filling) pieces(text string, days bool) []piece {
	var out []piece
	end := 0
	for _, m := range marks.FindAllStringSubmatchIndex(text, -1) {
		group := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return text[m[2*n]:m[2*n+1]]
		}
		out = append(out, literal(text[end:m[0]]))
		end = m[1]
		switch {
		case m[2] >= 0:
			id := uuid.MustParse(group(1))
			out = append(out, identity{id, f.ids[id]})
		case m[4] >= 0:
			out = append(out, literal(group(2)), suffix{}, literal(group(3)))
		case m[8] >= 0:
			out = append(out, phone(group(4)))
		case m[10] >= 0:
			out = append(out, literal(group(5)), f.reference("member", group(6)))
		case m[14] >= 0:
			series := "purchase"
			if len(group(8)) == 10 {
				series = "contract"
			}
			out = append(out, literal(group(7)), f.reference(series, group(8)))
		case m[18] >= 0:
			out = append(out, f.invoice(text[m[0]:m[1]], group(9), group(12))...)
		case days && group(14) == "":
			out = append(out, f.moved(group(13), true)...)
		case days:
			zoned := strings.TrimSuffix(text[m[0]:m[1]], "Z") + "+00"
			at := f.moved(zoned, true)
			if last, ok := at[len(at)-1].(literal); ok {
				at[len(at)-1] = literal(strings.TrimSuffix(string(last), "+00") + "Z")
			}
			out = append(out, at...)
		default:
			out = append(out, literal(text[m[0]:m[1]]))
		}
	}
	return merged(append(out, literal(text[end:])))
}

func (f *filling) reference(series, digits string) piece {
	n, _ := strconv.ParseInt(digits, 10, 64) // of digits alone
	return number{n, f.steps[series], len(digits)}
}

func (f *filling) invoice(whole, prefix, digits string) []piece {
	issued, ok := f.issued[strings.ToUpper(whole)]
	if !ok {
		return []piece{literal(whole)}
	}
	n, _ := strconv.ParseInt(digits, 10, 64)
	return []piece{literal(prefix), year(issued), literal("-"), number{n, f.steps["INV"], len(digits)}}
}

var (
	lexeme = regexp.MustCompile(`'(?:[^']|'')*'`)
	member = regexp.MustCompile(`(?i)KSF-(\d+)`)
)

// words are those of a search. The number of a reference stands among them alone too.
func (f *filling) words(text string) []piece {
	var of string
	if m := member.FindStringSubmatch(text); m != nil {
		of = m[1]
	}
	var out []piece
	end := 0
	for _, at := range lexeme.FindAllStringIndex(text, -1) {
		out = append(out, literal(text[end:at[0]]))
		end = at[1]
		word := text[at[0]:at[1]]
		if of != "" && word == "'"+of+"'" {
			out = append(out, literal("'"), f.reference("member", of), literal("'"))
			continue
		}
		out = append(out, f.pieces(word, false)...)
	}
	return append(out, literal(text[end:]))
}

// bytes are sealed anew, hashed anew, or looked through for ids where they are a text.
func (f *filling) bytes(t *table, c column, values []string, text string) ([]piece, error) {
	const begins = `\\x`
	raw, err := hex.DecodeString(strings.TrimPrefix(text, begins))
	if err != nil {
		return nil, err
	}
	at := t.name + "." + c.name
	switch {
	case len(raw) == 0:
		return []piece{literal(text)}, nil
	case slices.Contains(f.Sealed, at) || at == "idempotency_keys.body":
		p, err := f.sealedAgain(t, c, values, raw)
		return []piece{literal(begins), p}, err
	case strings.HasSuffix(c.name, "_hash") || at == "bank_files_in.sha256":
		return []piece{literal(begins), hashed(raw)}, nil
	case utf8.Valid(raw):
		return []piece{literal(begins), inHex(f.pieces(string(raw), false))}, nil
	}
	return []piece{literal(text)}, nil
}

// sealedAgain opens what is sealed in the row that it is in.
func (f *filling) sealedAgain(t *table, c column, values []string, raw []byte) (piece, error) {
	p := sealed{box: f.Box, table: t.name, column: c.name, was: raw, owner: identity{f.Merchant, f.ids[f.Merchant]}}
	for _, name := range t.key {
		if name == "merchant_id" && len(t.key) > 1 {
			continue
		}
		i := slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
		pieces, err := f.value(t, t.columns[i], values, i)
		if err != nil {
			return nil, err
		}
		if t.columns[i].kind == "bool" {
			pieces = []piece{literal(strconv.FormatBool(values[i] == "t"))}
		}
		if len(p.row) > 0 {
			p.row = append(p.row, literal("/"))
		}
		p.row = append(p.row, pieces...)
	}
	at := seal.Place{Owner: f.Merchant, Table: t.name, Column: c.name, Row: string(joined(p.row, copyOf{}))}
	var err error
	p.content, err = f.Box.OpenBytes(at, raw)
	return p, err
}
