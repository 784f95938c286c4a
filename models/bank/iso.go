package bank

import "strings"

// Reason is why something was refused or returned, as the bank said it. Code is an ISO code, or the bank's own
// when Own.
type Reason struct {
	Code string
	Own  bool
	Text string // additional words of the bank, with long numbers masked
}

// Stage is when a reason was given: the same ISO code can mean different things.
type Stage int

// The stages.
const (
	Refused  Stage = iota // in a status report: no money moved
	Returned              // with the money, which came back
)

// Trouble is what went wrong between us and the bank. A person here must hear of it; a client must not.
type Trouble string

// The kinds of trouble.
const (
	NoTrouble Trouble = ""
	Duplicate Trouble = "duplicate" // the bank takes it for one that it had before
	Late      Trouble = "late"      // it came after the cut-off, or for a day that has passed
	NotSetUp  Trouble = "set_up"    // the bank does not know the creditor, or has not agreed to this
	Technical Trouble = "technical" // the bank failed, or found a fault in what it was sent
)

// Meaning is what the bank's reasons come to.
type Meaning struct {
	Code    string  // the return code that says it to the client; CodeNotRun when there is Trouble
	Trouble Trouble // for a person here, before anything is said to a client
	Said    Reason  // the reason that decided; empty when the bank gave none
}

// Kind is the kind of answer that a debit gets by its code. It is for debits whose money came back; one that
// was refused before it ran is Unpaid even when the reason is a dispute, since there is nothing to take back.
func (m Meaning) Kind() MessageKind {
	switch {
	case m.Code == CodeRecalled:
		return Recalled
	case CodeOf(m.Code).Class == Dispute:
		return Disputed
	default:
		return Unpaid
	}
}

// ReadReason finds out what a bank means by its reasons. A code of its own with one or two digits is the return
// code, read by the bank's table of them. Else what it maps counts (by code), else ours, and the words beside a code;
// of several reasons that are understood the one decides after which one has to be more careful, and the first of
// equal ones. A trouble between us and the bank decides only when nothing else is. What nobody understands stays as it
// is, whose class is Unknown.
func ReadReason(by Codes, stage Stage, reasons ...Reason) Meaning {
	var m Meaning
	for _, r := range reasons {
		for _, code := range understood(by, stage, r) {
			if m.Code == "" || care[CodeOf(code).Class] > care[CodeOf(m.Code).Class] {
				m = Meaning{Code: code, Said: r}
			}
		}
	}
	if m.Code != "" {
		return m
	}
	for _, r := range reasons {
		if t := troubleOf(stage, r); t != NoTrouble {
			return Meaning{Code: CodeNotRun, Trouble: t, Said: r}
		}
	}
	for _, r := range reasons {
		if code := isoCode(r.Code); code != "" && !strings.ContainsRune(code, ' ') && CodeOf(code).Failed() {
			return Meaning{Code: code, Said: r}
		}
	}
	m = Meaning{Code: codeNoReason}
	if len(reasons) > 0 {
		m.Said = reasons[0]
	}
	return m
}

// understood are the return codes that a reason stands for by its code and by its words. Beside a trouble words say
// nothing of the payer.
func understood(by Codes, stage Stage, r Reason) (codes []string) {
	if code := returnCode(by, stage, r); code != "" {
		codes = append(codes, code)
	}
	if troubleOf(stage, r) != NoTrouble {
		return codes
	}
	words := spoken(by, r.Text)
	if r.Own && len(codes) == 0 {
		words = append(words, spoken(by, r.Code)...)
	}
	for _, code := range words {
		if code == CodeRecalled || CodeOf(code).Failed() {
			codes = append(codes, code)
		}
	}
	return codes
}

// returnCode is the return code that a reason stands for. One that says that nothing is wrong explains no failure.
func returnCode(by Codes, stage Stage, r Reason) string {
	code := isoCode(r.Code)
	if digits := strings.TrimSpace(r.Code); r.Own && len(digits) <= 2 && allDigits(digits) {
		code = digits
		if len(code) == 1 {
			code = "0" + code
		}
		code = ReadCode(by.Table, code, by.Day).As
	} else if ours, known := by.Own[r.Code]; known {
		code = ours
	} else if stage == Returned && returnedAs[code] != "" {
		code = returnedAs[code]
	} else {
		code = meant[code]
	}
	if code == "" || code != CodeRecalled && !CodeOf(code).Failed() {
		return ""
	}
	return code
}

func isoCode(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }

// meant are ISO's codes (external return and status reasons) by our return codes. Beside the twins that stand in the
// table of return codes these are other ways to say the same. (industry: equal meaning, no list of a bank says so)
var meant = meanings(map[string][]string{
	CodeNoFunds:  {"AG07"},
	"03":         {"SL01", "SL11", "SL12", "SL13", "SL14"},
	"04":         {"MD16"},
	"06":         {"AC06"}, // the twin of 05 as well; frozen is the graver
	"12":         {"AC05"},
	"26":         {"AC02", "AC08", "BE06", "RC01", "RC03"},
	CodeRecalled: {"TRAC", "FRTR"},
	"30":         {"MD06"},
	"32":         {"MD05"},
})

// returnedAs are codes that speak of the payer only when money came back. In a status report they speak of our message.
var returnedAs = map[string]string{"AM09": "32", "DT01": "32"}

func meanings(others map[string][]string) map[string]string {
	all := map[string]string{}
	for _, c := range returnCodes {
		if c.ISO != "" {
			all[c.ISO] = c.Code
		}
	}
	for code, list := range others {
		for _, iso := range list {
			all[iso] = code
		}
	}
	return all
}

// troubles are ISO's codes that say nothing about the payer.
var troubles = map[Trouble][]string{
	Duplicate: {"AM05", "DUPL", "DU01", "DU02", "DU03", "DU04", "DU05", "RF01"},
	Late:      {"TM01", "DT05", "CH04"},
	NotSetUp: {"UCRD", "AG02", "AG03", "AG08", "AC03", "AC07", "AC14", "RC04", "CNOR", "DNOR", "CH11", "CH12", "AM02",
		"AM13", "AM14", "AM21", "AM23", "DS14", "DS19"},
	Technical: {"BE08", "DS28", "ED05", "ED06", "AM01", "AM03", "AM09", "AM10", "AM11", "AM12", "AM15", "AM16", "AM17",
		"AM18", "AM19", "AM20", "DT01", "DT02", "DT03", "DT04", "CH03", "CH16", "CH17", "CH20", "CH21", "AGNT"},
}

// troubleFamilies are beginnings of codes: clearing that was stopped, and faults of format.
var troubleFamilies = map[string]Trouble{"AB": Technical, "FF": Technical, "DS0": NotSetUp, "DS1": NotSetUp,
	"DS2": NotSetUp}

func troubleOf(stage Stage, r Reason) Trouble {
	code := isoCode(r.Code)
	if stage == Returned && returnedAs[code] != "" || len(code) != 4 {
		return NoTrouble
	}
	for trouble, list := range troubles {
		for _, iso := range list {
			if iso == code {
				return trouble
			}
		}
	}
	for _, length := range []int{3, 2} {
		if trouble, known := troubleFamilies[code[:length]]; known {
			return trouble
		}
	}
	return NoTrouble
}

// ReadMandateReason finds out why a mandate request was refused: the first reason that our list or the bank's table
// (own, by code) knows, or else the first one as it stands.
func ReadMandateReason(own map[string]string, reasons ...Reason) string {
	var unknown string
	for _, r := range reasons {
		code := isoCode(r.Code)
		if ours, known := own[r.Code]; known {
			code = ours
		}
		if isMandateCode(code) {
			return code
		}
		if unknown == "" {
			unknown = code
		}
	}
	if unknown == "" {
		return CodeRefused // ISO's for no reason given
	}
	return unknown
}

// MandateKind is the kind of answer that a refused mandate request gets by its reason. Of a mandate that had been
// accepted before it is the end, whatever the reason.
func MandateKind(code string, accepted bool) MessageKind {
	switch {
	case accepted:
		return MandateSuspended
	case code == CodeNoAnswer:
		return MandateUnanswered
	case code == CodeSystemError, code != codeTooMuch && troubleOf(Refused, Reason{Code: code}) != NoTrouble:
		return MandateFailed
	default:
		return MandateRejected
	}
}
