package simbank

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/bank/iso20022"
	"debitdesk/models/calendar"
)

// written is what the product writes by a profile, changed as the test likes.
func written(t *testing.T, m exchange.Outgoing, change func(*files.Profile)) message {
	t.Helper()
	dir := t.TempDir()
	if _, err := files.InitProfile(dir, "simulator"); err != nil {
		t.Fatal(err)
	}
	p, err := files.ReadProfile(dir)
	if err != nil {
		t.Fatal(err)
	}
	change(&p)
	var out bytes.Buffer
	if err := p.Encoder().Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	got, err := read(out.Bytes())
	if err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	return got
}

var gym = bank.Creditor{Name: "Example Gym (Pty) Ltd", AbbreviatedName: "EXAMPLEGYM", ProfileCode: "A123",
	Branch:  "250655",
	Account: "50100000001"}

func outgoing(k exchange.Kind, name string, groups ...[]exchange.Item) exchange.Outgoing {
	m := exchange.Outgoing{Message: exchange.Message{ID: "DD20261122-000042", Kind: k, Name: name, Number: 42,
		MadeAt: time.Date(2026, 11, 22, 7, 30, 0, 0, time.UTC)}}
	for n, items := range groups {
		g := exchange.Group{ID: fmt.Sprintf("%s-%02d", m.ID, n+1), Creditor: items[0].Order.Creditor(), Items: items}
		if in := items[0].Order.Debit; in != nil {
			g.Method, g.ActionDate, g.Sequence = in.Method, in.ActionDate, in.Sequence
		}
		for _, i := range items {
			g.Count, g.SumCents = g.Count+1, g.SumCents+i.AmountCents
		}
		m.Count, m.SumCents, m.Groups = m.Count+g.Count, m.SumCents+g.SumCents, append(m.Groups, g)
	}
	return m
}

// id32 is an id as messages carry it.
func id32(id uuid.UUID) string { return strings.ReplaceAll(id.String(), "-", "") }

// What the product writes is what the bank reads: amount, branch, account, day, line and whose money it is, in every
// version.
func TestTheBankReadsWhatTheProductWrites(t *testing.T) {
	t.Parallel()
	for _, name := range iso20022.Forms(exchange.Debits) {
		rapid.Check(t, func(rt *rapid.T) {
			var groups [][]exchange.Item
			var all []bank.Instruction
			for g := range rapid.IntRange(1, 3).Draw(rt, "groups") {
				method := rapid.SampledFrom([]bank.Method{bank.EFT, bank.DebiCheck}).Draw(rt, "method")
				day := calendar.On(2026, 11, 25).AddDays(g)
				var items []exchange.Item
				for range rapid.IntRange(1, 4).Draw(rt, "items") {
					in := bank.Instruction{ID: uuid.New(), Method: method, Currency: "ZAR", ActionDate: day,
						AmountCents: rapid.Int64Range(1, 9_999_999_999).Draw(rt, "cents"),
						Branch:      rapid.StringMatching(`[0-9]{6}`).Draw(rt, "branch"),
						Account:     bank.AccountNumber(rapid.StringMatching(`[0-9]{5,13}`).Draw(rt, "account")),
						AccountType: bank.Current, HolderName: "MR T EXAMPLE", StatementLine: "EXAMPLEGYM" + fmt.Sprint(len(all)),
						Creditor: gym, ContractReference: "CR1", MandateReference: "0021260814123456789"}
					if method == bank.DebiCheck && !iso20022.Old(name) {
						in.TrackingDays = rapid.IntRange(0, 10).Draw(rt, "tracking")
					}
					all = append(all, in)
					items = append(items, exchange.Item{ID: in.ID, AmountCents: in.AmountCents, Order: exchange.Order{Debit: &in}})
				}
				groups = append(groups, items)
			}
			m := outgoing(exchange.Debits, name, groups...)
			got := written(t, m, func(p *files.Profile) { p.DebitMessage = name })
			if got.Name != name || got.ID != m.ID || got.said != (said{int64(m.Count), m.SumCents}) ||
				len(got.orders) != len(all) {
				rt.Fatalf("%+v", got)
			}
			for i, in := range all {
				o := got.orders[i]
				if o.ID != id32(in.ID) || o.Cents != in.AmountCents || o.Currency != "ZAR" || o.Branch != in.Branch ||
					o.Account != in.Account.Reveal() || o.Day != in.ActionDate || o.Line != in.StatementLine ||
					o.Holder != in.HolderName ||
					o.Creditor != gym.Account || o.debiCheck() != (in.Method == bank.DebiCheck) || o.Tracking != in.TrackingDays {
					rt.Fatalf("%s: read %+v of %+v", name, o, in)
				}
			}
		})
	}
}

func TestTheBankReadsRefundsRecallsAndMandatesOfTheProduct(t *testing.T) {
	t.Parallel()
	id, of := uuid.New(), uuid.New()
	for _, name := range iso20022.Forms(exchange.Refunds) {
		r := bank.Refund{ID: id, InstructionID: of, AmountCents: 12345, Currency: "ZAR", Branch: "632005",
			Account:     "4000000000",
			AccountType: bank.Current, HolderName: "MR T EXAMPLE", StatementLine: "EXAMPLEGYMREFUND", Creditor: gym}
		o := written(t, outgoing(exchange.Refunds, name, []exchange.Item{{ID: id, AmountCents: 12345,
			Order: exchange.Order{Refund: &r}}}), func(p *files.Profile) { p.CreditMessage = name }).orders[0]
		if o.ID != id32(id) || o.Cents != 12345 || o.Account != "4000000000" || o.Branch != "632005" ||
			o.Creditor != gym.Account ||
			o.Day != calendar.On(2026, 11, 22) {
			t.Errorf("%s: %+v", name, o)
		}
	}
	keep := func(*files.Profile) {}
	request := bank.MandateRequest{ID: id, Authentication: "DELAYED", ContractReference: "NC1",
		AbbreviatedName: "EXAMPLEGYM",
		CreditorAccount: gym.Account, Creditor: gym, HolderName: "MR P PAYER", Identity: "8001015009087",
		Phone:  "+27820000000",
		Branch: "632005", Account: "4000008002", AccountType: bank.Current, ValueType: "VARIABLE", DebitSequence: "RCUR",
		PeriodUnits: "months", DeductionDay: 25, AmountCents: 500, MaxAmountCents: 750, Currency: "ZAR"}
	for _, name := range iso20022.Forms(exchange.Mandates) {
		o := written(t, outgoing(exchange.Mandates, name, []exchange.Item{{ID: id,
			Order: exchange.Order{Request: &request}}}), func(p *files.Profile) { p.MandateMessages = name }).orders[0]
		if o.ID != id32(id) || o.Account != "4000008002" || o.Branch != "632005" || o.prompt() || o.Cents != 500 {
			t.Errorf("mandate: %+v", o)
		}
	}
	for reference, want := range map[string]string{"": id32(of), "SIM000000000001": "SIM000000000001"} {
		cancel := exchange.Cancellation{ID: id, RequestID: of, MessageID: "MI1", MessageName: "pain.009.001.05",
			Reference: reference,
			Contract:  "NC1", Creditor: gym}
		o := written(t, outgoing(exchange.Cancellations, "pain.011.001.05", []exchange.Item{{ID: id,
			Order: exchange.Order{Cancel: &cancel}}}), keep).orders[0]
		if firstOf(o.Of, o.Mandate) != want {
			t.Errorf("cancellation: %+v", o)
		}
	}
	back := exchange.Recall{ID: id, DebitID: of, MessageID: "DD1", MessageName: "pain.008.001.09", GroupID: "DD1-01",
		AmountCents: 15000, Currency: "ZAR", ActionDate: wednesday, Creditor: gym}
	for _, name := range iso20022.Forms(exchange.Recalls) {
		m := written(t, outgoing(exchange.Recalls, name, []exchange.Item{{ID: id, AmountCents: 15000,
			Order: exchange.Order{Recall: &back}}}), func(p *files.Profile) { p.RecallMessage = name })
		if o := m.orders[0]; o.ID != id32(id) || o.Of != id32(of) || o.Group != "DD1-01" || o.Cents != 15000 ||
			m.about != map[string]string{"pain.007.001.10": "DD1"}[name] {
			t.Errorf("recall by %s: %+v", name, o)
		}
	}
}

// Whatever lies in the outbox, the bank answers it and goes on.
func FuzzRead(f *testing.F) {
	cal := calendar.New()
	f.Add([]byte(pain008("08", "A", eft(ask{"1", "4000000000", 100}))))
	f.Add([]byte(pain001("03", "A", "2026-11-23", ask{"1", "4000000000", 100})))
	f.Add([]byte(camt055("A", "1")))
	f.Add([]byte(pain007("A", "B", "1")))
	f.Add([]byte(pain009("A", "DELAYED", "4000000000")))
	f.Add([]byte(pain011("A", "1")))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := read(content)
		if err != nil {
			m.Name = ""
		}
		settings := Settings{Dir: "nowhere", Calendar: cal}
		if err := settings.complete(); err != nil {
			t.Fatal(err)
		}
		b := newBank(settings)
		taken := &file{Number: 1, At: monday}
		b.judge(taken, m, nil)
		b.take(taken)
		for _, d := range b.due(monday.AddDate(1, 0, 0)) {
			for _, a := range b.begin(d) {
				if _, err := b.content(a); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
