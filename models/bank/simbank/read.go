package simbank

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"debitdesk/models/calendar"
)

// The largest message that is read, and how deep its elements may lie.
const (
	mostBytes = 256 << 20
	mostDepth = 40
)

// said is what a message says of its own size; -1 where it says nothing.
type said struct{ count, cents int64 }

func nothingSaid() said { return said{-1, -1} }

// message is one message as it was read, not judged yet.
type message struct {
	Name, ID, Created string
	about             string // of reversals: the message of the debits
	said              said
	groups            []*readGroup
	orders            []*order
}

type readGroup struct {
	ID, day, creditor, creditorName, service string
	single                                   bool
	said                                     said
}

// reader walks through a message and keeps what a bank needs. It knows each element by its
// path without the namespace, so any prefix will do; it steps over what it does not know.
type reader struct {
	message
	path     []byte
	ends     []int // where the path of each open element begins
	text     strings.Builder
	currency string
	group    *readGroup
	order    *order
	err      error
}

// read takes a message apart. The bytes may be a zip file with one message in it.
func read(content []byte) (message, error) {
	content, err := unzip(content)
	if err != nil {
		return message{}, err
	}
	r := &reader{message: message{said: nothingSaid()}}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))))
	d.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		if !strings.EqualFold(charset, "ISO-8859-1") {
			return nil, fmt.Errorf("the encoding %s is not known", charset)
		}
		return latin1(in)
	}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.take(token)
		}
		if err != nil {
			return r.message, err
		}
	}
	if r.Name == "" {
		return r.message, errors.New("no message was found")
	}
	return r.message, r.err
}

func unzip(content []byte) ([]byte, error) {
	if !bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		return content, nil
	}
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	if len(z.File) != 1 {
		return nil, fmt.Errorf("the zip file holds %d files, not one", len(z.File))
	}
	f, err := z.File[0].Open()
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(f, mostBytes))
	return out, errors.Join(err, f.Close())
}

func latin1(in io.Reader) (io.Reader, error) {
	raw, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	for _, b := range raw {
		out.WriteRune(rune(b))
	}
	return strings.NewReader(out.String()), nil
}

func (r *reader) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return errors.New("a document type is not allowed")
	case xml.StartElement:
		return r.open(t)
	case xml.CharData:
		r.text.Write(t)
	case xml.EndElement:
		if set := fields[string(r.path)]; set != nil && r.err == nil {
			r.err = set(r, strings.TrimSpace(r.text.String()))
		}
		r.text.Reset()
		last := len(r.ends) - 1
		r.path, r.ends = r.path[:r.ends[last]], r.ends[:last]
	}
	return nil
}

func (r *reader) open(t xml.StartElement) error {
	if len(r.ends) >= mostDepth {
		return errors.New("elements lie too deep")
	}
	if len(r.ends) == 0 {
		name, ours := strings.CutPrefix(t.Name.Space, "urn:iso:std:iso:20022:tech:xsd:")
		if t.Name.Local != "Document" || !ours {
			return fmt.Errorf("%s is not a document of ISO 20022", t.Name.Local)
		}
		r.Name = name
		r.ends = append(r.ends, 0)
		return nil
	}
	r.ends = append(r.ends, len(r.path))
	if len(r.path) > 0 {
		r.path = append(r.path, '/')
	}
	r.path = append(r.path, t.Name.Local...)
	r.text.Reset()
	r.currency = ""
	for _, a := range t.Attr {
		if a.Name.Local == "Ccy" {
			r.currency = a.Value
		}
	}
	if begin := begins[string(r.path)]; begin != nil {
		begin(r)
	}
	return nil
}

// begins are the elements that stand for a group or an order.
var begins = map[string]func(*reader){
	"CstmrDrctDbtInitn/PmtInf":                       beginGroup,
	"CstmrDrctDbtInitn/PmtInf/DrctDbtTxInf":          beginOrder(debit),
	"CstmrCdtTrfInitn/PmtInf":                        beginGroup,
	"CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf":            beginOrder(refund),
	"MndtInitnReq/Mndt":                              beginOrder(request),
	"MndtCxlReq/UndrlygCxlDtls":                      beginOrder(cancellation),
	"CstmrPmtCxlReq/Undrlyg/OrgnlPmtInfAndCxl":       beginGroup,
	"CstmrPmtCxlReq/Undrlyg/OrgnlPmtInfAndCxl/TxInf": beginOrder(recall),
	"CstmrPmtRvsl/OrgnlPmtInfAndRvsl":                beginGroup,
	"CstmrPmtRvsl/OrgnlPmtInfAndRvsl/TxInf":          beginOrder(recall),
}

func beginGroup(r *reader) {
	r.group = &readGroup{said: nothingSaid()}
	r.groups = append(r.groups, r.group)
}

func beginOrder(k kind) func(*reader) {
	return func(r *reader) {
		r.order = &order{Kind: k, in: r.about}
		if r.group != nil {
			r.order.group = len(r.groups)
			r.order.Group, r.order.Service = r.group.ID, r.group.service
			r.order.Creditor, r.order.CreditorName, r.order.Single = r.group.creditor, r.group.creditorName, r.group.single
			r.order.Day, _ = calendar.ParseDate(r.group.day)
		}
		r.orders = append(r.orders, r.order)
	}
}

// fields are the elements whose text counts.
var fields = func() map[string]func(*reader, string) error {
	all := map[string]func(*reader, string) error{}
	put := func(set func(*reader, string) error, paths ...string) {
		for _, p := range paths {
			all[p] = set
		}
	}
	for _, root := range []string{"CstmrDrctDbtInitn/GrpHdr", "CstmrCdtTrfInitn/GrpHdr", "MndtInitnReq/GrpHdr",
		"MndtCxlReq/GrpHdr", "CstmrPmtRvsl/GrpHdr"} {
		put(intoMessage(func(m *message) *string { return &m.ID }), root+"/MsgId")
		put(intoMessage(func(m *message) *string { return &m.Created }), root+"/CreDtTm")
		putTotals(all, root, func(r *reader) *said { return &r.said })
	}
	put(intoMessage(func(m *message) *string { return &m.ID }), "CstmrPmtCxlReq/Assgnmt/Id")
	put(intoMessage(func(m *message) *string { return &m.Created }), "CstmrPmtCxlReq/Assgnmt/CreDtTm")
	putTotals(all, "CstmrPmtCxlReq/CtrlData", func(r *reader) *said { return &r.said })
	put(intoMessage(func(m *message) *string { return &m.about }), "CstmrPmtRvsl/OrgnlGrpInf/OrgnlMsgId")
	groupFields(all, put, "CstmrDrctDbtInitn/PmtInf", "Cdtr", "ReqdColltnDt")
	groupFields(all, put, "CstmrCdtTrfInitn/PmtInf", "Dbtr", "ReqdExctnDt")
	orderFields(put, "CstmrDrctDbtInitn/PmtInf/DrctDbtTxInf", "Dbtr")
	orderFields(put, "CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf", "Cdtr")
	mandateFields(put)
	recallFields(put)
	return all
}()

func intoMessage(at func(*message) *string) func(*reader, string) error {
	return func(r *reader, text string) error { *at(&r.message) = text; return nil }
}

func intoGroup(at func(*readGroup) *string) func(*reader, string) error {
	return func(r *reader, text string) error { *at(r.group) = text; return nil }
}

func intoOrder(at func(*order) *string) func(*reader, string) error {
	return func(r *reader, text string) error { *at(r.order) = text; return nil }
}

func putTotals(all map[string]func(*reader, string) error, root string, at func(*reader) *said) {
	all[root+"/NbOfTxs"] = func(r *reader, text string) (err error) {
		at(r).count, err = strconv.ParseInt(text, 10, 64)
		return err
	}
	all[root+"/CtrlSum"] = func(r *reader, text string) (err error) {
		at(r).cents, err = centsOf(text)
		return err
	}
}

// centsOf reads an amount with up to two digits behind the point; further digits must be zeros.
func centsOf(text string) (int64, error) {
	rands, behind, _ := strings.Cut(text, ".")
	behind = strings.TrimRight(behind, "0")
	if len(behind) > 2 || len(rands) > 13 {
		return 0, fmt.Errorf("%q is not an amount in cents", text)
	}
	return strconv.ParseInt(rands+(behind + "00")[:2], 10, 64)
}

// stem is the number before the first dots: pain.008 of pain.008.001.08.
func (m message) stem() string {
	parts := strings.SplitN(m.Name, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
