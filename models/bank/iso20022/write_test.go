package iso20022_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
	"debitdesk/models/calendar"
)

// The accounts are test accounts that a provider publishes.
var (
	made = time.Date(2026, 11, 22, 7, 30, 0, 0, time.UTC)
	day  = calendar.On(2026, 11, 25)
	gym  = bank.Creditor{Name: "Example Gym (Pty) Ltd", AbbreviatedName: "EXAMPLEGYM", ProfileCode: "A123",
		Branch: "250655", Account: "50100000001"}
)

// dialect is a usual one with the newest forms that the published schemas cover.
func dialect() iso20022.Dialect {
	return iso20022.Dialect{
		Forms: map[exchange.Kind]string{exchange.Debits: "pain.008.001.09", exchange.Refunds: "pain.001.001.10",
			exchange.Mandates: "pain.009.001.05", exchange.Cancellations: "pain.011.001.05",
			exchange.Recalls: "camt.055.001.09"},
		BranchScheme: "ZANCC", AccountScheme: "BBAN", CreditorAccountType: "CACC",
		AccountTypes: map[bank.AccountType]string{bank.Current: "CACC", bank.Savings: "SVGS",
			bank.Transmission: "Prtry:3"},
		Services: map[bank.Method]iso20022.Service{bank.EFT: {LocalInstrument: "EFT-2DAY"},
			bank.DebiCheck: {LocalInstrument: "DEBICHECK", ServiceLevel: "Cd:NURG"}},
		UserCodeAt: iso20022.CreditorScheme, AbbreviatedNameAt: iso20022.CreditorScheme,
		StatementLineAt: iso20022.Remittance, EndToEnd: iso20022.ByID, NameLength: 140,
		Channels:     map[string]string{"DELAYED": "DELAYED", "FALLBACK": "FALLBACK"},
		RecallReason: "CUST", CancelReason: "MD17",
	}
}

func id(n byte) uuid.UUID {
	return uuid.UUID{0x6f, 0x1c, 0x2b, 0x8e, 0x4d, 0x0a, 0x7c, 0x55, 0xa3, 0xe1, 0xb7, 0xc9, 0x0d, 0x2f, 0x6a, n}
}

func debit(n byte, cents int64) bank.Instruction {
	return bank.Instruction{ID: id(n), Method: bank.EFT, AmountCents: cents, Currency: "ZAR", ActionDate: day,
		Branch: "250655", Account: "62001872440", AccountType: bank.Current, HolderName: "MR T EXAMPLE",
		StatementLine: "EXAMPLEGYMCR000000000123261125", Creditor: gym, Sequence: bank.RecurringDebit,
		ContractReference: "CR000000000123", MandateDate: calendar.On(2026, 8, 14)}
}

func debiCheck(n byte, cents int64) bank.Instruction {
	in := debit(n, cents)
	in.Method, in.Branch, in.Account, in.AccountType = bank.DebiCheck, "051001", "10004301100", bank.Savings
	in.MandateReference, in.TrackingDays = "0021260814123456789", 5
	return in
}

func refund(n byte, cents int64) bank.Refund {
	return bank.Refund{ID: id(n), InstructionID: id(n + 100), AmountCents: cents, Currency: "ZAR", Branch: "632005",
		Account: "04047527520", AccountType: bank.Transmission, HolderName: "MR T EXAMPLE",
		StatementLine: "EXAMPLEGYMREFUND", Creditor: gym}
}

func request(n byte) bank.MandateRequest {
	return bank.MandateRequest{ID: id(n), Authentication: "DELAYED", ContractReference: "NC000000000001",
		AbbreviatedName: "EXAMPLEGYM", CreditorAccount: "50100000001", Creditor: gym, HolderName: "MR P PAYER",
		Identity: "8001015009087", Phone: "+27820000000", Branch: "051001", Account: "10004301100",
		AccountType: bank.Current, ValueType: "VARIABLE", DebitSequence: "RCUR", PeriodUnits: "months", DeductionDay: 25,
		AmountCents: 50000, MaxAmountCents: 75000, Currency: "ZAR", FirstDate: calendar.On(2026, 12,
			25), Tracking: true,
		DateAdjustment: true}
}

func recall(n byte, group string) exchange.Recall {
	return exchange.Recall{ID: id(n), DebitID: id(n + 100), MessageID: "DD20261120-000041",
		MessageName: "pain.008.001.09", GroupID: group, AmountCents: 15000, Currency: "ZAR", ActionDate: day, Creditor: gym}
}

func cancellation(n byte, reference string) exchange.Cancellation {
	return exchange.Cancellation{ID: id(n), RequestID: id(n + 100), MessageID: "MI20261120-000007",
		MessageName: "pain.009.001.05", Reference: reference, Contract: "NC000000000001", Creditor: gym}
}

func items(of ...any) (list []exchange.Item) {
	for _, o := range of {
		switch o := o.(type) {
		case bank.Instruction:
			list = append(list, exchange.Item{ID: o.ID, AmountCents: o.AmountCents, Order: exchange.Order{Debit: &o}})
		case bank.Refund:
			list = append(list, exchange.Item{ID: o.ID, AmountCents: o.AmountCents, Order: exchange.Order{Refund: &o}})
		case bank.MandateRequest:
			list = append(list, exchange.Item{ID: o.ID, Order: exchange.Order{Request: &o}})
		case exchange.Recall:
			list = append(list, exchange.Item{ID: o.ID, AmountCents: o.AmountCents, Order: exchange.Order{Recall: &o}})
		case exchange.Cancellation:
			list = append(list, exchange.Item{ID: o.ID, Order: exchange.Order{Cancel: &o}})
		}
	}
	return list
}

// message puts groups of items into a message, with its counts and sums.
func message(k exchange.Kind, name, messageID string, groups ...[]exchange.Item) exchange.Outgoing {
	m := exchange.Outgoing{Message: exchange.Message{ID: messageID, Kind: k, Name: name, Number: 42, MadeAt: made}}
	for n, list := range groups {
		g := exchange.Group{ID: messageID + "-0" + string(rune('1'+n)), Creditor: list[0].Order.Creditor(), Items: list}
		if in := list[0].Order.Debit; in != nil {
			g.Method, g.ActionDate, g.Sequence = in.Method, in.ActionDate, in.Sequence
		}
		for _, i := range list {
			g.Count, g.SumCents = g.Count+1, g.SumCents+i.AmountCents
		}
		m.Count, m.SumCents, m.Groups = m.Count+g.Count, m.SumCents+g.SumCents, append(m.Groups, g)
	}
	return m
}

// sample is a message of a kind with all that it can hold.
func sample(k exchange.Kind, name string) exchange.Outgoing {
	switch k {
	case exchange.Debits:
		dc := debiCheck(3, 50000)
		if iso20022.Old(name) {
			dc.TrackingDays = 0
		}
		bare := debit(2, 9995)
		bare.MandateDate, bare.Sequence, bare.ContractReference = calendar.Date{}, "", ""
		return message(k, name, "DD20261122-000042", items(debit(1, 15000), bare), items(dc))
	case exchange.Refunds:
		return message(k, name, "RF20261122-000003", items(refund(4, 15000), refund(5, 1)))
	case exchange.Mandates:
		once, weekly, daily := request(7), request(8), request(9)
		once.DebitSequence, once.Identity, once.FirstDate, once.Tracking = "OOFF", "A1234567", calendar.Date{}, false
		weekly.PeriodUnits, weekly.DeductionDay, weekly.ValueType, weekly.Authentication = "weeks", 5, "FIXED", "FALLBACK"
		daily.PeriodUnits, daily.DeductionDay, daily.ValueType, daily.Phone = "days", 0, "USAGEBASED", ""
		return message(k, name, "MI20261122-000007", items(request(6), once), items(weekly, daily))
	case exchange.Cancellations:
		return message(k, name, "MC20261122-000001", items(cancellation(10, "0021260814123456789"), cancellation(11,
			"")))
	default:
		return message(k, name, "RC20261123-000001", items(recall(12, "DD20261120-000041-01"),
			recall(13, "DD20261120-000041-02"), recall(14, "DD20261120-000041-01")))
	}
}

func write(t *testing.T, d iso20022.Dialect, m exchange.Outgoing) string {
	t.Helper()
	e := iso20022.NewEncoder(d)
	var out bytes.Buffer
	if err := e.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	if err := e.Tally(bytes.NewReader(out.Bytes()), m); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTheSameMessageGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	for _, k := range exchange.Kinds {
		for _, form := range iso20022.Forms(k) {
			first := write(t, dialect(), sample(k, form))
			if again := write(t, dialect(), sample(k, form)); again != first {
				t.Errorf("%s differs from one time to the next", form)
			}
		}
	}
}

// The versions of a message differ in a few elements (what the schemas of each say).
func TestVersionsDifferWhereTheSchemasDo(t *testing.T) {
	t.Parallel()
	d := dialect()
	d.UETR = true
	for _, form := range append(iso20022.Forms(exchange.Debits), iso20022.Forms(exchange.Refunds)...) {
		k := exchange.Debits
		if strings.HasPrefix(form, "pain.001") {
			k = exchange.Refunds
		}
		text := write(t, d, sample(k, form))
		has := func(part string, want bool) {
			if strings.Contains(text, part) != want {
				t.Errorf("%s: %s is there: %v", form, part, !want)
			}
		}
		has(`xmlns="urn:iso:std:iso:20022:tech:xsd:`+form+`"`, true)
		has("<UETR>6f1c2b8e-4d0a-4c55-a3e1-b7c90d2f6a0", !iso20022.Old(form))
		has("<TrckgDays>05</TrckgDays>", k == exchange.Debits && !iso20022.Old(form))
		has("<ReqdExctnDt>2026-11-22</ReqdExctnDt>", form == "pain.001.001.03")
		has("<ReqdExctnDt><Dt>2026-11-22</Dt></ReqdExctnDt>", k == exchange.Refunds && !iso20022.Old(form))
		has("<SeqTp>RCUR</SeqTp>", k == exchange.Debits)
	}
}

func TestAnAccountTypeThatAnOldFormDoesNotHaveIsTheBanksOwn(t *testing.T) {
	for form, want := range map[string]string{"pain.001.001.03": "<Prtry>TRAN</Prtry>", "pain.001.001.09": "<Cd>TRAN</Cd>"} {
		d := dialect()
		d.AccountTypes = map[bank.AccountType]string{bank.Transmission: "TRAN"}
		got := write(t, d, message(exchange.Refunds, form, "RF20261120-000042", items(refund(1, 15000))))
		if !strings.Contains(got, "<Tp>"+want+"</Tp>") || !strings.Contains(got, "<Tp><Cd>CACC</Cd></Tp>") {
			t.Errorf("%s is written as\n%s", form, got)
		}
	}
}

func TestTrackingDaysAreRefusedWhereTheFormHasNone(t *testing.T) {
	t.Parallel()
	d := dialect()
	d.Forms[exchange.Debits] = "pain.008.001.02"
	in := debiCheck(1, 100)
	want := "The bank takes pain.008.001.02, which has no tracking days: the debit asks for 5."
	if why := iso20022.NewEncoder(d).Check(exchange.Order{Debit: &in}); why != want {
		t.Error(why)
	}
	if why := iso20022.NewEncoder(dialect()).Check(exchange.Order{Debit: &in}); why != "" {
		t.Error(why)
	}
}

// Where the dialect says so, other elements carry the user code, the line, the id and the types.
func TestTheDialectDecidesWhatStandsWhere(t *testing.T) {
	t.Parallel()
	has := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s is missing in %s", part, text)
			}
		}
	}
	m := sample(exchange.Debits, "pain.008.001.08")
	has(
		write(t, dialect(), m),
		"<CreDtTm>2026-11-22T09:30:00</CreDtTm>",
		"<InitgPty><Nm>Example Gym (Pty) Ltd</Nm></InitgPty>",
		"<CdtrSchmeId><Id><PrvtId><Othr><Id>A123</Id><SchmeNm><Prtry>USER-CODE</Prtry></SchmeNm></Othr><Othr><Id>EXAMPLEGYM</Id>",
		"<InstrId>6f1c2b8e4d0a7c55a3e1b7c90d2f6a01</InstrId><EndToEndId>6f1c2b8e4d0a7c55a3e1b7c90d2f6a01</EndToEndId>",
		"<PmtTpInf><SvcLvl><Cd>NURG</Cd></SvcLvl><LclInstrm><Prtry>DEBICHECK</Prtry></LclInstrm><SeqTp>RCUR</SeqTp></PmtTpInf>",
		"<MndtId>0021260814123456789</MndtId>",
		"<BtchBookg>false</BtchBookg>",
		"<RmtInf><Ustrd>EXAMPLEGYMCR000000000123261125</Ustrd></RmtInf>",
	)

	d := dialect()
	d.PartyName, d.PartyID, d.UserCodeAt, d.AbbreviatedNameAt = "Bureau", "BUREAU7", iso20022.Initiator, iso20022.Nowhere
	d.StatementLineAt, d.Offset, d.BatchBooking = iso20022.EndToEndID, true, true
	d.BranchScheme, d.AccountScheme, d.CreditorAccountType = "", "", ""
	text := write(t, d, m)
	has(text, "<CreDtTm>2026-11-22T09:30:00+02:00</CreDtTm>", "<BtchBookg>true</BtchBookg>",
		"<InitgPty><Nm>Bureau</Nm><Id><OrgId><Othr><Id>BUREAU7</Id></Othr><Othr><Id>A123</Id></Othr></OrgId></Id></InitgPty>",
		"<EndToEndId>EXAMPLEGYMCR000000000123261125</EndToEndId>",
		"<CdtrAcct><Id><Othr><Id>50100000001</Id></Othr></Id><Ccy>ZAR</Ccy></CdtrAcct>",
		"<CdtrAgt><FinInstnId><ClrSysMmbId><MmbId>250655</MmbId></ClrSysMmbId></FinInstnId></CdtrAgt>")
	for _, gone := range []string{"CdtrSchmeId", "RmtInf", "BBAN"} {
		if strings.Contains(text, gone) {
			t.Errorf("%s is there", gone)
		}
	}

	d = dialect()
	d.EndToEnd, d.UserCodeAt = iso20022.ByPosition, iso20022.CreditorID
	nameless := m
	nameless.Groups[0].Creditor.Branch = ""
	has(write(t, d, nameless), "<EndToEndId>DD20261122-000042-01-000002</EndToEndId>",
		"<Cdtr><Nm>Example Gym (Pty) Ltd</Nm><Id><OrgId><Othr><Id>A123</Id></Othr></OrgId></Id></Cdtr>",
		"<CdtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></CdtrAgt>")
	refunds := write(t, dialect(), sample(exchange.Refunds, "pain.001.001.03"))
	has(refunds, "<Tp><Prtry>3</Prtry></Tp>", "<Purp><Cd>REFU</Cd></Purp>")
}

// Debits that can be disputed go by another service. A group that mixes them says the service of each.
func TestDisputableDebitsGoByTheRegisteredService(t *testing.T) {
	t.Parallel()
	one, other := debiCheck(1, 100), debiCheck(2, 200)
	one.Disputable = true
	const registered, normal = "<LclInstrm><Prtry>REGISTERED</Prtry></LclInstrm>",
		"<LclInstrm><Prtry>DEBICHECK</Prtry></LclInstrm>"
	d := dialect()
	d.Registered = iso20022.Service{LocalInstrument: "REGISTERED"}
	for name, want := range map[string]struct {
		d       iso20022.Dialect
		items   []exchange.Item
		types   int
		in      string
		without string
	}{
		"alone":       {d, items(one), 1, registered, normal},
		"mixed":       {d, items(one, other), 2, registered, "</CtrlSum>\n<PmtTpInf>"},
		"not offered": {dialect(), items(one, other), 1, normal, registered},
	} {
		for _, form := range iso20022.Forms(exchange.Debits)[1:] {
			text := write(t, want.d, message(exchange.Debits, form, "DD20261122-000042", want.items))
			if strings.Count(text, "<PmtTpInf>") != want.types || !strings.Contains(text, want.in) ||
				strings.Contains(text, want.without) {
				t.Errorf("%s: %s", name, text)
			}
			if published[form] != "" {
				valid(t, form, text)
			}
		}
	}
}

// Debits are recalled under the groups in which they left, whatever their order.
func TestRecallsStandUnderTheGroupOfTheirDebit(t *testing.T) {
	t.Parallel()
	text := write(t, dialect(), sample(exchange.Recalls, "camt.055.001.09"))
	if n := strings.Count(text, "<OrgnlPmtInfAndCxl>"); n != 2 {
		t.Errorf("%d groups", n)
	}
	first, _, _ := strings.Cut(text, "</OrgnlPmtInfAndCxl>")
	for _, part := range []string{"<CxlId>" + strings.ReplaceAll(id(12).String(), "-", ""), "<CxlId>" +
		strings.ReplaceAll(id(14).String(), "-", ""), "<CtrlSum>450.00</CtrlSum>", "<Cd>CUST</Cd>",
		"<OrgnlReqdColltnDt>2026-11-25</OrgnlReqdColltnDt>"} {
		if !strings.Contains(first, part) {
			t.Errorf("%s is missing in %s", part, first)
		}
	}
}
