package iso20022_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
)

func TestNamesAreWrittenInCharactersThatBanksTake(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"José Müller":               "Jose Muller",
		"Zoë van der Merwe-Núñez":   "Zoe van der Merwe-Nunez",
		"Siobhán O’Brien":           "Siobhan O'Brien",
		"Ḽiḓo Ṱhavhani":             "Lido Thavhani",
		"Groß & Søn <Æther> \"Co\"": "Gross Son AEther Co",
		"A\tB\r\nC\x00D":            "A B C D",
		"e\u0301te\u0301":           "ete",
		"  two   spaces  ":          "two spaces",
		"Thandi 💐 Nkosi":            "Thandi Nkosi",
		"(Pty) Ltd, a/b: c? d+e.f":  "(Pty) Ltd, a/b: c? d+e.f",
		strings.Repeat("é", 200):    strings.Repeat("e", 140),
		strings.Repeat("ab ", 70):   strings.TrimSpace(strings.Repeat("ab ", 47))[:140],
	} {
		in := debit(1, 100)
		in.HolderName = name
		in.Creditor.Name = name
		m := message(exchange.Debits, "pain.008.001.09", "DD20261122-000042", items(in))
		text := write(t, dialect(), m)
		want = strings.TrimSpace(want)
		if strings.Count(text, "<Nm>"+want+"</Nm>") != 3 {
			_, got, _ := strings.Cut(text, "<Nm>")
			got, _, _ = strings.Cut(got, "</Nm>")
			t.Errorf("%q became %q, not %q", name, got, want)
		}
		valid(t, "pain.008.001.09", text)
	}
}

// Whatever a name and a statement line are, they are refused or written in characters that banks take.
func TestAnyNameIsRefusedOrFit(t *testing.T) {
	t.Parallel()
	basic := regexp.MustCompile(`<Nm>[A-Za-z0-9/?:().,'+ -]{1,140}</Nm></Dbtr>`)
	line := regexp.MustCompile(`(?s)<RmtInf><Ustrd>[A-Za-z0-9/?:().,'+ -]{1,140}</Ustrd></RmtInf>`)
	e := iso20022.NewEncoder(dialect())
	rapid.Check(t, func(r *rapid.T) {
		in := debit(1, 100)
		in.HolderName = rapid.String().Draw(r, "name")
		in.StatementLine = rapid.String().Draw(r, "line")
		if e.Check(exchange.Order{Debit: &in}) != "" {
			return
		}
		var out bytes.Buffer
		m := message(exchange.Debits, "pain.008.001.09", "DD20261122-000042", items(in))
		if err := errors.Join(e.Encode(&out, m), e.Tally(bytes.NewReader(out.Bytes()), m)); err != nil {
			r.Fatal(err)
		}
		text := out.String()
		if !basic.MatchString(text) || strings.Contains(text, "<RmtInf>") && !line.MatchString(text) {
			r.Fatalf("%q and %q became %s", in.HolderName, in.StatementLine, text)
		}
	})
}

// The columns of a statement line stay where they are.
func TestStatementLinesKeepTheirColumns(t *testing.T) {
	t.Parallel()
	in := debit(1, 100)
	in.StatementLine = "A&B <GYM>\u00e9CR1           261125"
	text := write(t, dialect(), message(exchange.Debits, "pain.008.001.09", "DD20261122-000042", items(in)))
	if want := "<Ustrd>A B  GYM eCR1           261125</Ustrd>"; !strings.Contains(text, want) {
		t.Errorf("%s is missing in %s", want, text)
	}
	if utf8.RuneCountInString(in.StatementLine) != len("A B  GYM eCR1           261125") {
		t.Error("the columns moved")
	}
}

func TestEveryReasonAgainstAnOrderIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	e := iso20022.NewEncoder(dialect())
	debitWith := func(change func(*bank.Instruction)) exchange.Order {
		in := debit(1, 100)
		change(&in)
		return exchange.Order{Debit: &in}
	}
	requestWith := func(change func(*bank.MandateRequest)) exchange.Order {
		r := request(1)
		change(&r)
		return exchange.Order{Request: &r}
	}
	for want, o := range map[string]exchange.Order{
		"The account holder’s name has no letter that the bank can " +
			"read.": debitWith(func(in *bank.Instruction) { in.HolderName = "💐 …" }),
		"The client’s account number is missing.": debitWith(func(in *bank.Instruction) { in.Account = "" }),
		"The client’s account number is not a number of at most 34 digits.": debitWith(func(in *bank.Instruction) {
			in.Account = "12 34"
		}),
		"The client’s branch code does not have six digits.": debitWith(func(in *bank.Instruction) { in.Branch = "1234" }),
		"The bank does not take the amount 0.00.":            debitWith(func(in *bank.Instruction) { in.AmountCents = 0 }),
		"The bank does not take the amount -0.01.":           debitWith(func(in *bank.Instruction) { in.AmountCents = -1 }),
		"‘zar’ is not a currency.":                           debitWith(func(in *bank.Instruction) { in.Currency = "zar" }),
		"Your bank account, to which the money goes, is missing.": debitWith(func(in *bank.Instruction) {
			in.Creditor.Account = ""
		}),
		"Your business has no name that the bank can read.": debitWith(func(in *bank.Instruction) { in.Creditor.Name = "" }),
		"The user code has characters that banks do not take.": debitWith(func(in *bank.Instruction) {
			in.Creditor.ProfileCode = "A 1"
		}),
		"The mandate reference has a slash where banks take none.": debitWith(func(in *bank.Instruction) {
			in.ContractReference = "/1"
		}),
		"The mandate reference has more than 35 characters.": debitWith(func(in *bank.Instruction) {
			in.MandateReference = strings.Repeat("1", 36)
		}),
		"The bank can wait for money for 0 to 10 days, not for 11.": debitWith(func(in *bank.Instruction) {
			in.Method, in.TrackingDays = bank.DebiCheck, 11
		}),
		"The bank does not know the sequence ‘FNAL’.": debitWith(func(in *bank.Instruction) { in.Sequence = "FNAL" }),
		"The bank’s profile has no word for this account type: bond account.": debitWith(func(in *bank.Instruction) {
			in.AccountType = "BOND"
		}),
		"The bank takes requests by file, which the client answers later; it cannot ask as " +
			"realtime.": requestWith(
			func(r *bank.MandateRequest) { r.Authentication = "REALTIME" }),
		"The client’s phone number is not in the international form, such as +27821234567.": requestWith(
			func(r *bank.MandateRequest) { r.Phone = "12" }),
		"The bank does not know the value type ‘FREE’.": requestWith(func(r *bank.MandateRequest) { r.ValueType = "FREE" }),
		"The bank does not know the period ‘years’.": requestWith(
			func(r *bank.MandateRequest) { r.PeriodUnits = "years" }),
		"There is nothing to write.": {},
	} {
		why := e.Check(o)
		if strings.HasPrefix(want, "The bank’s profile has no word") {
			want = why[:min(len(why), len("The bank’s profile has no word for this account type"))]
		}
		if !strings.HasPrefix(why, want) || why == "" {
			t.Errorf("%q, not %q", why, want)
		}
	}
	both := debitWith(func(in *bank.Instruction) { in.HolderName, in.Branch = "", "" })
	if why := e.Check(both); strings.Count(why, ".") != 2 {
		t.Error(why)
	}
	d := dialect()
	d.Forms, d.Services = nil, nil
	in, r := debit(1, 1), recall(1, "G")
	if why := iso20022.NewEncoder(d).Check(exchange.Order{Recall: &r}); why !=
		"The bank’s profile names no message that recalls a single debit." {
		t.Error(why)
	}
	if err := iso20022.NewEncoder(dialect()).Encode(&bytes.Buffer{}, message(exchange.Refunds, "pain.001.001.09", "R1",
		items(in))); err == nil {
		t.Error("a debit was written as a refund")
	}
}

func TestPhoneNumbersAreWrittenAsTheSchemaAsks(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{"+27821234567": "+27-821234567", "0821234567": "+27-821234567",
		"+27 (82) 123-4567": "+27-821234567", "+12025550123": "+1-2025550123", "+264811234567": "+264-811234567"} {
		r := request(1)
		r.Phone = number
		text := write(t, dialect(), message(exchange.Mandates, "pain.009.001.05", "MI1", items(r)))
		if !strings.Contains(text, "<MobNb>"+want+"</MobNb>") {
			t.Errorf("%s is not written as %s", number, want)
		}
		valid(t, "pain.009.001.05", text)
	}
}

// What was written is read back: every change of a count, a sum, an amount or an id is found.
func TestTallyFindsWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, k := range exchange.Kinds {
		form := dialect().Forms[k]
		m := sample(k, form)
		text := write(t, dialect(), m)
		for right, wrong := range map[string]string{
			"<InstdAmt Ccy=\"ZAR\">150.00": "<InstdAmt Ccy=\"ZAR\">150.01", "<InstdAmt " +
				"Ccy=\"ZAR\">500.00": "<InstdAmt Ccy=\"ZAR\">500",
			"<NbOfTxs>2": "<NbOfTxs>3", "<NbOfTxs>3": "<NbOfTxs>2", "<CtrlSum>": "<CtrlSum>1",
			"</PmtInf>":   "</PmtInf><PmtInf></PmtInf>",
			"<InstrId>6f": "<InstrId>60", "<MndtReqId>6f": "<MndtReqId>60", "<CxlId>6f": "<CxlId>60",
			"<MsgId>": "<MsgId>X", "<PmtInfId>": "<PmtInfId>X", "</Document>": "",
			"<UndrlygCxlDtls>": "<UndrlygCxlDtls></UndrlygCxlDtls><UndrlygCxlDtls>",
			"<Document":        "<!-- ", "<OrgnlInstdAmt Ccy=\"ZAR\">150.00": "<OrgnlInstdAmt Ccy=\"ZAR\">15.00",
		} {
			if !strings.Contains(text, right) {
				continue
			}
			if err := iso20022.NewEncoder(dialect()).Tally(strings.NewReader(strings.Replace(text, right, wrong, 1)),
				m); err == nil {
				t.Errorf("%s: %s instead of %s was not found", form, wrong, right)
			}
		}
		bare := m
		bare.Groups = slices.Clone(m.Groups)
		for n := range bare.Groups {
			bare.Groups[n].Items = nil
		}
		if err := iso20022.NewEncoder(dialect()).Tally(strings.NewReader(text), bare); err != nil {
			t.Errorf("%s without its items: %v", form, err)
		}
		cut := text[:len(text)*2/3]
		if err := iso20022.NewEncoder(dialect()).Tally(strings.NewReader(cut), m); err == nil {
			t.Errorf("%s: the missing end was not found", form)
		}
	}
}

func TestAMessageThatDoesNotAddUpIsNotWritten(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*exchange.Outgoing){
		"count":       func(m *exchange.Outgoing) { m.Count++ },
		"sum":         func(m *exchange.Outgoing) { m.SumCents++ },
		"group count": func(m *exchange.Outgoing) { m.Groups[0].Count++ },
		"group sum":   func(m *exchange.Outgoing) { m.Groups[0].SumCents-- },
		"form":        func(m *exchange.Outgoing) { m.Name = "pain.001.001.09" },
		"id":          func(m *exchange.Outgoing) { m.ID = "a b" },
		"empty":       func(m *exchange.Outgoing) { m.Groups, m.Count, m.SumCents = nil, 0, 0 },
		"order":       func(m *exchange.Outgoing) { m.Groups[0].Items[0].Order = exchange.Order{} },
	} {
		m := sample(exchange.Debits, "pain.008.001.09")
		change(&m)
		var out bytes.Buffer
		if err := iso20022.NewEncoder(dialect()).Encode(&out, m); err == nil || out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, out.Len())
		}
	}
}
