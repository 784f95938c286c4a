package bank

import (
	"regexp"
	"strings"
)

// spokenDigits are two digits at the beginning of a text of the bank, or behind a word for a reason.
var spokenDigits = regexp.MustCompile(
	`(?:^|\b(?:CODE|REASON|RETURN|RETURNED|UNPAID|RC)\b)[^A-Z0-9]*([0-9]{2})\b([^0-9]*)`)

// spokenDate tells that what follows two digits makes a date of them.
var spokenDate = regexp.MustCompile(`^[-/. ]*(?:[0-9]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|DAYS?\b)`)

// spokenWords are what banks write for a reason, by our codes of the same meaning; capitals, the graver before the
// lighter. (industry: the usual words on statements of South African banks)
var spokenWords = []struct{ words, code string }{
	{"NO AUTHORITY", "30"}, {"NOT AUTHORI", "30"}, {"UNAUTHORI", "30"}, {"NO MANDATE", "30"},
	{"AUTHORITY CANCELLED", "34"}, {"MANDATE CANCELLED", "34"}, {"AUTHORITY WITHDRAWN", "34"},
	{"CONTRAVENTION", "32"}, {"NOT AS AGREED", "32"}, {"DISPUTE", "32"},
	{"PREVIOUSLY STOPPED", "36"}, {"STOPPED BEFORE", "36"},
	{"STOP PAYMENT", "04"}, {"PAYMENT STOPPED", "04"}, {"STOPPED BY", "04"},
	{"DECEASED", "18"}, {"SEQUESTRAT", "08"}, {"LIQUIDAT", "10"}, {"FROZEN", "06"}, {"DORMANT", "05"},
	{"ACCOUNT CLOSED", "12"}, {"CLOSED ACCOUNT", "12"}, {"ACCOUNT IS CLOSED", "12"},
	{"NO SUCH ACCOUNT", "26"}, {"INVALID ACCOUNT", "26"}, {"ACCOUNT NOT FOUND", "26"}, {"UNKNOWN ACCOUNT", "26"},
	{"DEBITS NOT ALLOWED", "03"}, {"DEBIT NOT ALLOWED", "03"}, {"NOT FICA COMPLIANT", "56"},
	{"EFFECTS NOT CLEARED", CodeUncleared}, {"UNCLEARED EFFECTS", CodeUncleared},
	{"NOT PROVIDED FOR", CodeNoFunds}, {"INSUFFICIENT FUNDS", CodeNoFunds}, {"LACK OF FUNDS", CodeNoFunds},
	{"REFER TO DRAWER", CodeNoFunds}, {"NOT ENOUGH MONEY", CodeNoFunds},
}

// CodeUncleared says that deposits on the account are not cleared yet.
const CodeUncleared = "22"

// spoken are the return codes that a text of the bank names: two digits by its table, and words.
func spoken(by Codes, text string) (codes []string) {
	text = strings.Join(strings.Fields(strings.ToUpper(text)), " ")
	if at := spokenDigits.FindStringSubmatchIndex(text); at != nil && !spokenDate.MatchString(text[at[3]:]) {
		if c := ReadCode(by.Table, text[at[2]:at[3]], by.Day); c.Class != Unknown {
			codes = append(codes, c.As)
		}
	}
	for _, s := range spokenWords {
		if strings.Contains(text, s.words) {
			return append(codes, s.code)
		}
	}
	return codes
}

// care is how careful one has to be after an answer of a class: the more careful reason counts where a bank gives
// several that disagree.
var care = map[Class]int{Dispute: 5, Hard: 4, Blocked: 4, NotRun: 3, Unknown: 3, Soft: 2, Info: 1}
