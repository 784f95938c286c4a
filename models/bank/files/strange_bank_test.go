package files_test

import (
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
)

// habits are how one bank writes its answers. Each is right by the definitions of the messages.
type habits struct {
	version     string // of its camt messages
	status      string // of its pain.002
	ids         string // how ours come back in movements
	references  string // its own of movements
	charge      string // what it charges for a return, and how it shows it
	grouping    string // of collected debits and of returns
	tells       string // which documents tell of a day
	kinds       string // its codes of movements
	reason      string // where it says why money went back
	days        string // how it writes the day of a booking
	account     string // how it writes account numbers
	bundle      string // several in one file
	comesBack   bool   // returns are reversed, and debits presented again
	otherMoney  bool   // movements that are none of ours, in rand and in dollars
	breaks      bool   // entries that cannot be read
	ignoresFile bool   // one file in eight is never acknowledged
	disorder    bool   // documents come late, twice and in any order
}

func anyHabits(random *rand.Rand) habits {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	yes := func() bool { return random.IntN(2) == 0 }
	return habits{
		version: one("02", "04", "06", "08"), status: one("03", "10", "12"),
		ids:        one("both", "end-to-end", "its own uuid", "transaction", "capitals", "hyphens", "cut", "text", "none"),
		references: one("own", "NONREF", "same all day", "none", "0"),
		charge:     one("nothing", "inside", "inside, charges alone", "apart", "apart by its own code"),
		grouping:   one("each", "sum of a part", "parts listed", "returns together"),
		tells:      one("statement", "notices", "notices, then sums", "reports, then statement", "all three"),
		kinds:      one("iso", "own", "general", "none"), reason: one("code", "words", "own code", "words of the entry"),
		days:    one("day", "instant", "value day", "none"),
		account: one("digits", "spaces", "hyphens", "branch"), bundle: one("one", "statements", "messages", "documents"),
		comesBack: yes(), otherMoney: yes(), breaks: yes(), ignoresFile: random.IntN(4) == 0, disorder: yes(),
	}
}

// held is a debit that was handed to the bank.
type held struct {
	id              uuid.UUID
	instr, end      string
	file, part      string
	account         string
	cents           int64
	on              calendar.Date
	refused, ignore bool
	booked          bool
}

// posted is a movement on an account, as the bank's ledger has it. Movements of one entry stand in parts.
type posted struct {
	debit     *held // nil: it is none of a debit
	account   string
	day       calendar.Date
	cents     int64 // with a fee that is inside; out is below zero
	fee       int64
	currency  string
	what      string // collected, returned, reversed, fee, other
	reason    string
	reference string
	part      string // the file and part that this books in one sum
	file      string
	broken    bool // its amount cannot be read where it is told
	parts     []posted
}

// strange is a bank with habits. Its ledger is what is true.
type strange struct {
	t      testing.TB
	dir    string
	random *rand.Rand
	cal    *calendar.Calendar
	habits
	debits []*held
	ledger []posted
	mail   []letter
	n      int
	shown  map[calendar.Date]bool
	until  calendar.Date // after it nothing moves any longer
}

// letter is a file that the bank will put into the inbox.
type letter struct {
	at   time.Time
	name string
	text string
}

// strangeReasons are reasons of returns with their words.
var strangeReasons = map[string]string{"AM04": "02 NOT PROVIDED FOR", "AC04": "12 ACCOUNT CLOSED",
	"MS02": "04 PAYMENT STOPPED BY ACCOUNT HOLDER", "AC06": "06 ACCOUNT FROZEN"}

// round does what the bank does at a moment of its day.
func (b *strange) round(now time.Time) {
	b.collect(now)
	day := calendar.DateOf(now)
	if !now.Before(day.At(18, 0)) && !b.shown[day] && b.cal.IsBusinessDay(day) &&
		!day.After(b.until) {
		b.shown[day] = true
		b.book(day)
		b.tell(day)
	}
	for _, l := range b.mail {
		if !l.at.After(now) {
			must(b.t, os.WriteFile(filepath.Join(b.dir, "inbox", l.name), []byte(l.text), 0o600))
		}
	}
	b.mail = slices.DeleteFunc(b.mail, func(l letter) bool { return !l.at.After(now) })
}

type debitFile struct {
	ID    string      `xml:"CstmrDrctDbtInitn>GrpHdr>MsgId"`
	Parts []debitPart `xml:"CstmrDrctDbtInitn>PmtInf"`
}

type debitPart struct {
	ID      string `xml:"PmtInfId"`
	On      string `xml:"ReqdColltnDt"`
	Account string `xml:"CdtrAcct>Id>Othr>Id"`
	Debits  []struct {
		Instr string `xml:"PmtId>InstrId"`
		End   string `xml:"PmtId>EndToEndId"`
		Rand  string `xml:"InstdAmt"`
	} `xml:"DrctDbtTxInf"`
}

// collect takes the files that were laid out, and answers each with a status report.
func (b *strange) collect(now time.Time) {
	names, err := filepath.Glob(filepath.Join(b.dir, "outbox", "*.xml"))
	must(b.t, err)
	for _, name := range names {
		content, err := os.ReadFile(name)
		must(b.t, err)
		must(b.t, os.Rename(name, filepath.Join(b.dir, "sent", filepath.Base(name))))
		var f debitFile
		must(b.t, xml.Unmarshal(content, &f))
		ignored := b.ignoresFile && b.random.IntN(8) == 0
		var statuses strings.Builder
		count := 0
		for _, p := range f.Parts {
			on, err := calendar.ParseDate(p.On)
			must(b.t, err)
			fmt.Fprintf(&statuses, "<OrgnlPmtInfAndSts><OrgnlPmtInfId>%s</OrgnlPmtInfId>", p.ID)
			for _, d := range p.Debits {
				id, err := uuid.Parse(d.Instr)
				must(b.t, err)
				var rand, cents int64
				_, err = fmt.Sscanf(d.Rand, "%d.%d", &rand, &cents)
				must(b.t, err)
				h := &held{id: id, instr: d.Instr, end: d.End, file: f.ID, part: p.ID, account: p.Account,
					cents: rand*100 + cents, on: on, ignore: ignored, refused: !ignored && b.random.IntN(9) == 0}
				b.debits, count = append(b.debits, h), count+1
				if h.refused {
					fmt.Fprintf(&statuses, "<TxInfAndSts>%s<TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC01</Cd></Rsn></StsRsnInf>"+
						"</TxInfAndSts>", b.original(h))
				}
			}
			statuses.WriteString("</OrgnlPmtInfAndSts>")
		}
		if ignored {
			continue
		}
		b.send(now.Add(time.Duration(b.random.IntN(3))*time.Hour), fmt.Sprintf(`<Document xmlns="urn:iso:std:iso:20022:tech:`+
			`xsd:pain.002.001.%s"><CstmrPmtStsRpt><GrpHdr><MsgId>%s</MsgId><CreDtTm>%s</CreDtTm></GrpHdr><OrgnlGrpInfAndSts>`+
			`<OrgnlMsgId>%s</OrgnlMsgId><OrgnlMsgNmId>pain.008</OrgnlMsgNmId><OrgnlNbOfTxs>%d</OrgnlNbOfTxs>`+
			`<GrpSts>ACCP</GrpSts></OrgnlGrpInfAndSts>%s</CstmrPmtStsRpt></Document>`, b.status, b.next("S"),
			now.UTC().Format(time.RFC3339), f.ID, count, statuses.String()))
	}
}

// original names a debit in a status report.
func (b *strange) original(h *held) string {
	switch b.ids {
	case "end-to-end", "capitals", "hyphens", "cut":
		return "<OrgnlEndToEndId>" + b.changed(h.end) + "</OrgnlEndToEndId>"
	case "its own uuid":
		return "<OrgnlInstrId>" + uuid.NewString()[:8] + "</OrgnlInstrId><OrgnlEndToEndId>" + h.end + "</OrgnlEndToEndId>"
	case "transaction":
		return "<OrgnlTxId>" + h.instr + "</OrgnlTxId>"
	default:
		return "<OrgnlInstrId>" + h.instr + "</OrgnlInstrId><OrgnlEndToEndId>" + h.end + "</OrgnlEndToEndId>"
	}
}

// changed is an id as the bank writes it.
func (b *strange) changed(id string) string {
	switch b.ids {
	case "capitals":
		return strings.ToUpper(id)
	case "hyphens":
		return id[:8] + "-" + id[8:16] + "-" + id[16:]
	case "cut":
		return id[:18]
	default:
		return id
	}
}

func (b *strange) next(letter string) string {
	b.n++
	return fmt.Sprintf("%s%05d", letter, b.n)
}

// send puts a file on its way, and sometimes a second time.
func (b *strange) send(at time.Time, text string) {
	b.n++
	text = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + text
	name := fmt.Sprintf("bank-%05d.xml", b.n)
	if b.disorder {
		at = at.Add(time.Duration(b.random.IntN(4*24)) * time.Hour)
		if b.random.IntN(4) == 0 {
			b.mail = append(b.mail, letter{at.Add(time.Duration(b.random.IntN(50)) * time.Hour), "again-" + name, text})
		}
	}
	b.mail = append(b.mail, letter{at, name, text})
}

// book writes the movements of a day into the ledger.
func (b *strange) book(day calendar.Date) {
	from := len(b.ledger)
	sums := map[string]*posted{}
	for _, h := range b.debits {
		if h.ignore || h.refused || h.booked || h.on.After(day) {
			continue
		}
		h.booked = true
		one := posted{debit: h, account: h.account, day: day, cents: h.cents, currency: "ZAR", what: "collected",
			reference: b.reference()}
		if b.grouping == "sum of a part" || b.grouping == "parts listed" {
			s := sums[h.part]
			if s == nil {
				s = &posted{account: h.account, day: day, currency: "ZAR", what: "collected", part: h.part, file: h.file,
					reference: b.reference()}
				sums[h.part] = s
			}
			s.cents, s.parts = s.cents+h.cents, append(s.parts, one)
			continue
		}
		b.ledger = append(b.ledger, one)
	}
	for _, h := range b.debits {
		if s := sums[h.part]; s != nil {
			b.ledger = append(b.ledger, *s)
			delete(sums, h.part)
		}
	}
	b.comeBack(day)
	b.others(day)
	for n := range b.ledger[from:] {
		if b.references == "same all day" {
			b.ledger[from+n].reference = "DAY" + day.Format("060102")
		}
	}
}

// holds is what the bank holds of a debit, and when it moved last.
func (b *strange) holds(h *held) (cents int64, last calendar.Date) {
	for _, e := range b.ledger {
		for _, p := range append([]posted{e}, e.parts...) {
			if p.debit == h {
				cents, last = cents+p.cents+p.fee, p.day
			}
		}
	}
	return cents, last
}

// comeBack returns some of what was collected, and brings some of it again.
func (b *strange) comeBack(day calendar.Date) {
	together := map[string]*posted{}
	for _, h := range b.debits {
		has, last := b.holds(h)
		if !h.booked || last.After(day) || day.DaysSince(h.on) > 9 || last == day && b.random.IntN(2) == 0 {
			continue
		}
		switch chance := b.random.IntN(20); {
		case has > 0 && chance < 3 && (!b.wasBack(h) || chance == 0 && last.Before(day)):
			reasons := []string{"AM04", "AC04", "MS02", "AC06"}
			r := posted{debit: h, account: h.account, day: day, cents: -h.cents, currency: "ZAR", what: "returned",
				reason: reasons[b.random.IntN(4)], reference: b.reference()}
			switch b.charge {
			case "inside", "inside, charges alone":
				r.fee = 345
				r.cents -= r.fee
			case "apart", "apart by its own code":
				b.ledger = append(b.ledger, posted{account: h.account, day: day, cents: -345, currency: "ZAR", what: "fee",
					reference: b.reference()})
			}
			if b.grouping != "returns together" {
				r.broken = b.breaks && b.random.IntN(5) == 0
				b.ledger = append(b.ledger, r)
				continue
			}
			s := together[h.account]
			if s == nil {
				s = &posted{account: h.account, day: day, currency: "ZAR", what: "returned", reference: b.reference()}
				together[h.account] = s
			}
			s.cents, s.parts = s.cents+r.cents, append(s.parts, r)
		case has == 0 && chance < 8 && b.comesBack && b.wasBack(h) && last.Before(day):
			b.ledger = append(b.ledger, posted{debit: h, account: h.account, day: day, cents: h.cents, currency: "ZAR",
				what: "reversed", reference: b.reference()})
		}
	}
	for _, h := range b.debits {
		if s := together[h.account]; s != nil {
			b.ledger = append(b.ledger, *s)
			delete(together, h.account)
		}
	}
}

func (b *strange) wasBack(h *held) bool {
	for _, e := range b.ledger {
		for _, p := range append([]posted{e}, e.parts...) {
			if p.debit == h && p.what == "returned" {
				return true
			}
		}
	}
	return false
}

// others are movements that are of no debit.
func (b *strange) others(day calendar.Date) {
	if !b.otherMoney {
		return
	}
	for _, account := range []string{"62001872440", "62001872441"} {
		amount := int64(10_000 + b.random.IntN(5)*100)
		for range 1 + b.random.IntN(2) {
			b.ledger = append(b.ledger, posted{account: account, day: day, cents: amount, currency: "ZAR", what: "other",
				reference: b.reference()})
		}
		if b.random.IntN(3) == 0 {
			b.ledger = append(b.ledger, posted{account: account, day: day, cents: -777, currency: "ZAR", what: "other",
				reference: b.reference()}, posted{account: account, day: day, cents: 5_000, currency: "USD", what: "other",
				reference: b.reference()})
		}
	}
}

func (b *strange) reference() string {
	switch b.references {
	case "own":
		return b.next("R")
	case "NONREF", "0":
		return b.references
	default:
		return ""
	}
}
