package book

import (
	"slices"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/book/source"
)

// aside tells a line that the layout of the file leaves out: it counts, and is no client.
func (r *reading) aside() bool {
	at := slices.IndexFunc(r.row.Broken, func(p sheet.Problem) bool {
		return p.Code == source.Aside || p.Code == source.Planned
	})
	if at < 0 {
		return false
	}
	r.line.Values.Aside = true
	cause := CauseAside
	if r.row.Broken[at].Code == source.Planned {
		cause, r.line.Values.Plan = CausePlanned, planIn(r.row.Cells)
	}
	r.say(Note, "", cause, "%s", strings.TrimSuffix(r.row.Broken[at].Message, "."))
	return true
}

// levelOf is what a problem with how a row is written does.
func levelOf(cause string) Level {
	if cause == CauseCard || cause == CauseConfirm {
		return Warning
	}
	return Problem
}

// typeDigit is the type of an account by its digit. Public sources about one provider have 1 and 2 the other way round,
// so a person says once which it is.
func (r *reading) typeDigit(text string, kind bank.AccountType) bank.AccountType {
	if !r.Source.AskTypes || text != "1" && text != "2" {
		return kind
	}
	switch r.chose(CauseTypeDigits) {
	case choiceYes:
	case choiceSwapped:
		return map[bank.AccountType]bank.AccountType{bank.Current: bank.Savings, bank.Savings: bank.Current}[kind]
	default:
		r.say(Hold, Type, CauseTypeDigits, "%s would be a %s account by the provider’s pages, and another one by other "+
			"sources: compare it with an account that you know", text, strings.ToLower(string(kind)))
	}
	return kind
}

// mandateWords are the states of mandates at old systems, without blanks and signs.
var acceptedMandates, openMandates, endedMandates = wordsOf("accepted|active|signed|authorised|authorized|approved|6"),
	wordsOf("beingcaptured|waiting|pending|verified|notverified|captured|sent|1|2|8|9|10|11"),
	wordsOf("expired|failed|declined|rejected|cancelled|canceled|suspended|ended|stopped|none|3|4|5")

func wordsOf(list string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.SplitSeq(list, "|") {
		out[word] = true
	}
	return out
}

// mandateStatus says what follows from the state of the mandate at the old system: only an accepted one becomes a
// mandate here. more tells that the day on which it was signed still counts.
func (r *reading) mandateStatus() (more bool) {
	text, given := r.cell(MandateStatus)
	v, word := &r.line.Values, plainWord(text)
	switch {
	case !given || acceptedMandates[word]:
		return true
	case endedMandates[word]:
		v.NoDebit = true
		r.say(Warning, MandateStatus, CauseMandateOver, "%s: the client comes in without a mandate, and a new one is needed",
			found(MandateStatus, text))
		return false
	}
	cause := CauseMandateOpen
	if word == "changed" || word == "7" {
		cause = CauseMandateNew
	}
	switch r.chose(cause) {
	case choiceNoDebit:
		v.NoDebit = true
		r.say(Note, MandateStatus, cause, "the client comes in without a mandate")
		return false
	case choiceVouch:
		r.say(Warning, MandateStatus, cause, "%s: the business vouches for it", found(MandateStatus, text))
		return true
	}
	switch {
	case cause == CauseMandateNew:
		r.say(Hold, MandateStatus, cause, "the mandate was changed at the old system: find out whether the client agreed")
	case openMandates[word]:
		r.say(Hold, MandateStatus, cause, "%s: the client has not accepted the mandate", found(MandateStatus, text))
	default:
		r.say(Hold, MandateStatus, cause, "%s is not a state of a mandate that we know", found(MandateStatus, text))
	}
	return true
}

// mostAhead is how many days ahead an old system may be told to debit.
const mostAhead = 62
