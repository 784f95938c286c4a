package web

import (
	"net/url"
	"strconv"
	"strings"

	"debitdesk/views/components"
)

// typedWord is what a person types before something ends for good that others depend on:
// one thing is named by its last characters, several by their number. The label, the
// check and the refusal come from here, so that they say the same.
type typedWord struct {
	word string // empty: nothing is to be typed
	what string // what the word is: "the last digits of the account"
}

// typedDigits asks for the end of the one account, or for the number of accounts.
func typedDigits(masks []string) typedWord {
	switch len(masks) {
	case 0:
		return typedWord{}
	case 1:
		return typedWord{masks[0][strings.LastIndexAny(masks[0], " •")+1:], "the last digits of the account"}
	}
	return typedWord{strconv.Itoa(len(masks)), "the number of accounts"}
}

// ask puts the field into the question.
func (t typedWord) ask(q *components.Confirm, wrong string) {
	if t.word == "" {
		return
	}
	q.TypeLabel, q.TypeError = "Type "+t.word+" to confirm", wrong
	if t.what != "" {
		q.TypeLabel = "Type " + t.word + ", " + t.what + ", to confirm"
	}
}

// wrong is what the person is told who typed something else; empty: it fits.
func (t typedWord) wrong(form url.Values) string {
	typed := strings.TrimSpace(form.Get("confirm"))
	if digits := glued(t.word); digits != "" && glued(typed) == digits { // "12 345" is 12345
		return ""
	}
	if strings.EqualFold(typed, t.word) {
		return ""
	}
	return "Type " + t.word + "."
}
