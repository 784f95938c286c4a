package simbank

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"debitdesk/models/calendar"
)

// bench is a simulated bank on a folder of its own with a clock that the test moves.
type bench struct {
	*testing.T
	dir   string
	now   time.Time
	bank  *Bank
	with  Settings
	lines []string
}

// monday is 06:30 on Monday 23 November 2026.
var monday = calendar.On(2026, 11, 23).At(6, 30)

func newBench(t *testing.T, with Settings) *bench {
	t.Helper()
	b := &bench{T: t, dir: t.TempDir(), now: monday, with: with}
	b.with.Dir, b.with.State = filepath.Join(b.dir, "exchange"), filepath.Join(b.dir, "state")
	b.with.Hasty = true
	b.with.Now = func() time.Time { return b.now }
	b.with.Log = func(line string) { b.lines = append(b.lines, line) }
	b.open()
	t.Cleanup(func() { _ = b.bank.Close() })
	return b
}

func (b *bench) open() {
	b.Helper()
	var err error
	b.bank, err = Open(b.with)
	b.must(err)
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) put(name, content string) {
	b.Helper()
	b.must(os.WriteFile(filepath.Join(b.with.Dir, "outbox", name), []byte(content), 0o600))
}

func (b *bench) round() Report {
	b.Helper()
	report, err := b.bank.Round(b.Context())
	b.must(err)
	return report
}

// at moves the clock to a time of day and makes a round.
func (b *bench) at(day calendar.Date, hour, minute int) Report {
	b.Helper()
	b.now = day.At(hour, minute)
	return b.round()
}

// folder lists the final names of a folder of the exchange.
func (b *bench) folder(name string) (names []string) {
	b.Helper()
	entries, err := os.ReadDir(filepath.Join(b.with.Dir, name))
	b.must(err)
	for _, e := range entries {
		if Final(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

func (b *bench) inbox() (contents []string) {
	b.Helper()
	for _, name := range b.folder("inbox") {
		text, err := os.ReadFile(filepath.Join(b.with.Dir, "inbox", name))
		b.must(err)
		contents = append(contents, string(text))
	}
	return contents
}

// answers gives the messages in the inbox that are of a form such as camt.054, and forgets nothing.
func (b *bench) answers(form string) (out []element) {
	b.Helper()
	for _, content := range b.inbox() {
		if e := parse(b.T, content); strings.HasPrefix(e.form, form) {
			out = append(out, e)
		}
	}
	return out
}

// only is the one message of a form.
func (b *bench) only(form string) element {
	b.Helper()
	all := b.answers(form)
	if len(all) != 1 {
		b.Fatalf("%d messages of %s, want 1: %v\n%s", len(all), form, b.folder("inbox"), strings.Join(b.lines, "\n"))
	}
	return all[0]
}

func (b *bench) same(what string, got, want any) {
	b.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// element is an XML element of an answer, read without any code of the bank.
type element struct {
	name, text, form string
	children         []element
}

func parse(t *testing.T, content string) element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(content))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return latin1(in) }
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("%v in %s", err, content)
		}
		if start, is := token.(xml.StartElement); is {
			e, err := subtree(d, start)
			if err != nil {
				t.Fatalf("%v in %s", err, content)
			}
			e.form = start.Name.Space[strings.LastIndex(start.Name.Space, ":")+1:]
			return e
		}
	}
}

func subtree(d *xml.Decoder, start xml.StartElement) (element, error) {
	e := element{name: start.Name.Local}
	for {
		token, err := d.Token()
		if err != nil {
			return e, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			child, err := subtree(d, t)
			if err != nil {
				return e, err
			}
			e.children = append(e.children, child)
		case xml.CharData:
			e.text += strings.TrimSpace(string(t))
		case xml.EndElement:
			return e, nil
		}
	}
}

// all are the elements at a path, at any depth below.
func (e element) all(path string) (out []element) {
	first, rest, deeper := strings.Cut(path, "/")
	for _, c := range e.children {
		switch {
		case c.name == first && !deeper:
			out = append(out, c)
		case c.name == first:
			for _, g := range c.children {
				if second, _, _ := strings.Cut(rest, "/"); g.name == second {
					out = append(out, element{children: []element{g}}.all(rest)...)
				}
			}
		default:
			out = append(out, c.all(path)...)
		}
	}
	return out
}

// texts are those of the elements at a path, in one line.
func (e element) texts(path string) string {
	var out []string
	for _, found := range e.all(path) {
		out = append(out, found.text)
	}
	return strings.Join(out, " ")
}

// a debit or refund as a test asks for it.
type ask struct {
	id, account string
	cents       int64
}

// a group of debits or refunds.
type asks struct {
	id, service string
	day         calendar.Date
	items       []ask
	single      bool
	tracking    string
}

func cents(all []ask) (sum int64) {
	for _, a := range all {
		sum += a.cents
	}
	return sum
}

// pain008 writes debits as a merchant's program would.
func pain008(version, id string, groups ...asks) string {
	var out strings.Builder
	count, sum := 0, int64(0)
	for _, g := range groups {
		count, sum = count+len(g.items), sum+cents(g.items)
	}
	fmt.Fprintf(&out, `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.008.001.%s"><CstmrDrctDbtInitn><GrpHdr><MsgId>%s</MsgId>
<CreDtTm>2026-11-22T09:30:00</CreDtTm><NbOfTxs>%d</NbOfTxs><CtrlSum>%s</CtrlSum><InitgPty><Nm>Gym</Nm></InitgPty></GrpHdr>`,
		version, id, count, rands(sum))
	for _, g := range groups {
		fmt.Fprintf(&out, `
<PmtInf><PmtInfId>%s</PmtInfId><PmtMtd>DD</PmtMtd><BtchBookg>%t</BtchBookg><NbOfTxs>%d</NbOfTxs><CtrlSum>%s</CtrlSum>
<PmtTpInf><LclInstrm><Prtry>%s</Prtry></LclInstrm><SeqTp>RCUR</SeqTp></PmtTpInf><ReqdColltnDt>%s</ReqdColltnDt>
<Cdtr><Nm>Gym</Nm></Cdtr><CdtrAcct><Id><Othr><Id>50100000001</Id></Othr></Id></CdtrAcct>
<CdtrAgt><FinInstnId><ClrSysMmbId><MmbId>250655</MmbId></ClrSysMmbId></FinInstnId></CdtrAgt>`,
			g.id, !g.single, len(g.items), rands(cents(g.items)), g.service, g.day)
		for _, a := range g.items {
			tracking := ""
			if g.tracking != "" {
				tracking = "<TrckgDays>" + g.tracking + "</TrckgDays>"
			}
			fmt.Fprintf(&out, `
<DrctDbtTxInf><PmtId><InstrId>%s</InstrId><EndToEndId>%s</EndToEndId></PmtId><InstdAmt Ccy="ZAR">%s</InstdAmt>
<DrctDbtTx><MndtRltdInf><MndtId>CR1</MndtId><DtOfSgntr>2026-08-14</DtOfSgntr>%s</MndtRltdInf></DrctDbtTx>
<DbtrAgt><FinInstnId><ClrSysMmbId><ClrSysId><Cd>ZANCC</Cd></ClrSysId><MmbId>632005</MmbId></ClrSysMmbId></FinInstnId></DbtrAgt>
<Dbtr><Nm>MR P</Nm></Dbtr><DbtrAcct><Id><Othr><Id>%s</Id></Othr></Id></DbtrAcct><RmtInf><Ustrd>GYM</Ustrd></RmtInf></DrctDbtTxInf>`,
				a.id, a.id, rands(a.cents), tracking, a.account)
		}
		out.WriteString("\n</PmtInf>")
	}
	out.WriteString("\n</CstmrDrctDbtInitn></Document>\n")
	return out.String()
}

// eft is a group of EFT debits on Wednesday 25 November 2026.
func eft(items ...ask) asks {
	return asks{id: "G-01", service: "EFT-2DAY", day: calendar.On(2026, 11, 25), items: items}
}

var specifications = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", "github.com/moov-io/iso20022@v0.2.1").Output()
	if err != nil {
		return "", err
	}
	var module struct{ Dir string }
	err = json.Unmarshal(out, &module)
	return filepath.Join(module.Dir, "docs", "specifications"), err
})

// published are the schemas that can be had, by the form of a message.
func published(t *testing.T) map[string]string {
	t.Helper()
	root, err := specifications()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if name, is := strings.CutSuffix(d.Name(), ".xsd"); is {
			found[name] = path
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// valid asks xmllint whether every answer in the inbox obeys its published schema, and gives the forms it judged.
func (b *bench) valid() (judged []string) {
	b.Helper()
	schemas := published(b.T)
	files := map[string][]string{}
	for _, name := range b.folder("inbox") {
		path := filepath.Join(b.with.Dir, "inbox", name)
		content, err := os.ReadFile(path)
		b.must(err)
		form := parse(b.T, string(content)).form
		files[form] = append(files[form], path)
	}
	for form, paths := range files {
		schema, found := schemas[form]
		if !found {
			continue
		}
		judged = append(judged, form)
		out, err := exec.CommandContext(b.Context(), "xmllint", append([]string{"--noout", "--schema", schema},
			paths...)...).CombinedOutput()
		if err != nil {
			b.Errorf("xmllint (.make/need.sh xmllint installs it): %v\n%s", err, out)
		}
	}
	slices.Sort(judged)
	return judged
}
