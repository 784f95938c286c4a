package files

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// Words is one part of what a profile means, for a person.
type Words struct {
	Title string
	Lines []string
}

// Words says what would be written when, what the connection can do, and what is in doubt.
func (p Profile) Words() []Words {
	return []Words{
		{"What is written", p.formsInWords()},
		{"When files leave", p.timesInWords()},
		{"When a debit counts as paid", p.successInWords()},
		{"What this connection can do", p.abilitiesInWords()},
		{"Which rules are this bank’s own", p.rulesInWords()},
		{"What to ask your bank", p.Doubts()},
	}
}

var kindNames = map[exchange.Kind]string{exchange.Debits: "Debits", exchange.Refunds: "Refunds",
	exchange.Recalls: "Recalls of single debits", exchange.Mandates: "Requests for DebiCheck mandates",
	exchange.Cancellations: "Cancellations of DebiCheck mandates"}

func (p Profile) formsInWords() (lines []string) {
	e := p.Encoder()
	for _, k := range exchange.Kinds {
		form := e.Name(k)
		if form == "" {
			lines = append(lines, kindNames[k]+" are not offered.")
			continue
		}
		example := e.FileName(exchange.Message{ID: "DD20261122-000042", Kind: k, Name: form, Number: 42,
			MadeAt: time.Date(2026, 11, 22, 7, 30, 0, 0, time.UTC)})
		lines = append(lines, fmt.Sprintf("%s are written as %s, in files such as %s.", kindNames[k], form, example))
	}
	r := p.Rules()
	lines = append(lines, fmt.Sprintf("A file holds at most %s items.", plural.Number(int64(r.MaxItems))))
	if r.MaxCents > 0 {
		lines = append(lines, "An item is at most "+money.Format(r.MaxCents, "ZAR")+".")
	}
	return append(lines, "The bank answers with "+listed(p.Answers)+".")
}

func (p Profile) timesInWords() (lines []string) {
	cuts := make([]string, len(p.Cuts))
	for n, c := range p.Cuts {
		cuts[n] = c.String()
	}
	lines = append(lines, fmt.Sprintf("Files with debits and refunds leave at %s SAST on business days.", listed(cuts)))
	if c := p.capabilities(); c.DebiCheck || c.RecallOne {
		lines = append(lines, fmt.Sprintf("Mandate requests, cancellations and recalls leave within %s, at any time.",
			plural.Of(p.SoonMinutes, "minute")))
	}
	for _, name := range []string{eftService, debiCheckService} {
		if s, offered := p.Services[name]; offered {
			when := "on the debit date itself"
			if *s.LeadDays > 0 {
				when = plural.Of(*s.LeadDays, "business day") + " before the debit date"
			}
			lines = append(lines, fmt.Sprintf("%s debits leave at the last of these times, %s SAST, %s. The bank takes them "+
				"until %s; later ones wait for your decision.", serviceName(name), p.Rules().LastCut(), when, p.Deadline))
		}
	}
	return lines
}

// rulesInWords are the rules that the profile puts in the place of the scheme's.
func (p Profile) rulesInWords() (lines []string) {
	if p.Rulebook.Provider != "" {
		lines = append(lines, "Where sources disagree, the readings of "+p.Rulebook.Provider+" hold.")
	}
	for _, r := range p.Rulebook.Rows {
		value := fmt.Sprint(r.Value)
		if r.Value == nil {
			value = "none"
		}
		lines = append(lines, fmt.Sprintf("%s is %s from %s: %s.", r.Key, value, r.From, strings.TrimSuffix(r.Proof, ".")))
	}
	if len(lines) == 0 {
		lines = []string{"None: the rules of the scheme hold. debitdesk rules lists them."}
	}
	return lines
}

func (p Profile) successInWords() (lines []string) {
	r := p.Rules()
	for _, name := range []string{eftService, debiCheckService} {
		switch r.Success[methods[name]] {
		case exchange.BySilence:
			lines = append(lines, fmt.Sprintf("%s: when the bank has acknowledged the file and returned nothing by %s SAST "+
				"on the business day after the debit date.", serviceName(name), p.SilenceAt))
		case exchange.ByBooking:
			lines = append(lines, serviceName(name)+": when a statement or notification of the bank shows the money.")
		case exchange.ByReport:
			lines = append(lines, serviceName(name)+": when a status report of the bank says so.")
		}
	}
	return append(lines, fmt.Sprintf("If the bank has not acknowledged a file %s after it was taken, you are told, "+
		"and nothing in it "+
		"counts as paid.", plural.Of(p.AckWithinMinutes, "minute")))
}

func (p Profile) abilitiesInWords() (lines []string) {
	c := p.capabilities()
	for _, can := range []struct {
		it      bool
		yes, no string
	}{
		{c.DebiCheck, "It collects by DebiCheck, and asks clients for mandates by delayed requests, which the " +
			"client answers later, by SMS or in the app.",
			"It does not collect by DebiCheck."},
		{c.RealTimeMandates, "", "It cannot ask a client for a mandate while they wait: a file takes too long."},
		{c.Refunds, "It pays refunds.", "It does not pay refunds: pay them on the bank’s site."},
		{c.RecallOne, "It recalls a single debit that has left.",
			"It cannot recall a single debit that has left: ask the bank."},
		{c.Contest, "", "It cannot contest a dispute: send the mandate to the bank yourself."},
	} {
		if can.it {
			lines = append(lines, can.yes)
		} else {
			lines = append(lines, can.no)
		}
	}
	return lines
}

// Doubts are what a bank may want differently. No bank has taken a file of a profile before it did.
func (p Profile) Doubts() (doubts []string) {
	add := func(when bool, format string, args ...any) {
		if when {
			doubts = append(doubts, fmt.Sprintf(format, args...))
		}
	}
	for _, name := range []string{eftService, debiCheckService} {
		if s, offered := p.Services[name]; offered {
			add(s.LocalInstrument == "" && s.ServiceLevel == "",
				"By which local instrument or service level does the bank know %s? "+
					"The profile names none.", serviceName(name))
		}
	}
	c := profileCheck{Profile: p}
	old := c.oldForm()
	_, debiCheck := p.Services[debiCheckService]
	add(true, "Does the bank take %s, and does it have a schema of its own that is narrower than the published one?",
		p.DebitMessage)
	add(old == "pain.008.001.02" && debiCheck, "%s cannot say for how many days the bank waits for money: debits "+
		"with tracking are refused.", old)
	add(p.InitiatingParty.Name == "", "Who sends? The profile names no initiating party, so each file says the "+
		"merchant’s own name.")
	add(p.UserCodeAt != none && p.AbbreviatedNameAt == p.UserCodeAt,
		"The user code and the abbreviated name are both in %s, the user "+
			"code first. Some banks allow only one of them.", p.UserCodeAt)
	add(p.EndToEnd != "uuid32" || p.StatementLineAt == "EndToEndId",
		"Does the bank give InstrId back in every answer? The end-to-end "+
			"id is not ours, so an answer without InstrId cannot be matched.")
	add(iso20022.Reverses(p.RecallMessage), "Does the bank take %s for debits that it has not run yet? At many banks it "+
		"takes back money that was booked, and camt.055 recalls.", p.RecallMessage)
	add(p.UETR, "Does the bank allow UETR? Some refuse files that have it.")
	add(p.AccountTypes[bank.Transmission] == "TRAN",
		"Does the bank read the account type TRAN as a transmission account?")
	add(debiCheck, "How does the bank call delayed requests and the fallback? The profile says %s and %s.",
		p.Channels["DELAYED"],
		p.Channels["FALLBACK"])
	add(p.NameLength > 30, "Names are cut at %d characters. Some banks refuse more than 30 instead of cutting "+
		"themselves.", p.NameLength)
	add(len(p.Codes) == 0, "Does the bank use reason codes of its own? The profile maps none.")
	add(true, "When is the bank’s deadline, and what does it do with a file that comes later?")
	return doubts
}

// Sample is a message of one debit of R 1,00, as it would be written at a moment. It goes to the merchant's own
// account.
func (p Profile) Sample(now time.Time, day calendar.Date, own bank.Creditor) exchange.Outgoing {
	e := p.Encoder()
	method := bank.EFT
	if _, offered := p.Services[eftService]; !offered {
		method = bank.DebiCheck
	}
	id := sampleID(now)
	in := bank.Instruction{
		ID:                id,
		Method:            method,
		AmountCents:       100,
		Currency:          "ZAR",
		ActionDate:        day,
		Branch:            own.Branch,
		Account:           bank.AccountNumber(own.Account),
		AccountType:       bank.Current,
		HolderName:        own.Name,
		StatementLine:     "TEST OF ONE RAND",
		Creditor:          own,
		Sequence:          bank.OnceOffDebit,
		ContractReference: "TEST",
		MandateDate:       calendar.DateOf(now),
	}
	m := exchange.Message{ID: "TEST" + now.In(calendar.SAST).Format("20060102-150405"), Kind: exchange.Debits,
		Name: e.Name(exchange.Debits), Number: 0, Count: 1, SumCents: 100, MadeAt: now}
	m.FileName = e.FileName(m)
	return exchange.Outgoing{Message: m, Groups: []exchange.Group{{ID: m.ID + "-01", MessageID: m.ID, Method: method,
		ActionDate: day, Sequence: in.Sequence, Creditor: own, Count: 1, SumCents: 100,
		Items: []exchange.Item{{ID: id, Kind: exchange.Debits, Method: method, AmountCents: 100, Currency: "ZAR",
			ActionDate: day,
			Order:      exchange.Order{Debit: &in}}}}}}
}

func serviceName(name string) string {
	if name == debiCheckService {
		return "DebiCheck"
	}
	return "EFT"
}

// listed joins words: "a, b and c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// sampleID is the id of the debit in a sample, the same for the same moment.
func sampleID(now time.Time) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(now.UTC().Format(time.RFC3339Nano)))
}
