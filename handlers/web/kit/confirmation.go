package kit

import (
	"net/url"
	"strconv"
	"strings"

	"debitdesk/handlers/web/words"
	"debitdesk/views/components"
)

// TypedWord is what a person types before something ends for good that others depend on:
// one thing is named by its last characters, several by their number. The label, the
// check and the refusal come from here, so that they say the same.
type TypedWord struct {
	Word string // empty: nothing is to be typed
	What string // what the word is: "the last digits of the account"
}

// TypedDigits asks for the end of the one account, or for the number of accounts.
func TypedDigits(masks []string) TypedWord {
	switch len(masks) {
	case 0:
		return TypedWord{}
	case 1:
		return TypedWord{masks[0][strings.LastIndexAny(masks[0], " •")+1:], "the last digits of the account"}
	}
	return TypedWord{strconv.Itoa(len(masks)), "the number of accounts"}
}

// Ask puts the field into the question.
func (t TypedWord) Ask(q *components.Confirm, wrong string) {
	if t.Word == "" {
		return
	}
	q.TypeLabel, q.TypeError = "Type "+t.Word+" to confirm", wrong
	if t.What != "" {
		q.TypeLabel = "Type " + t.Word + ", " + t.What + ", to confirm"
	}
}

// Wrong is what the person is told who typed something else; empty: it fits.
func (t TypedWord) Wrong(form url.Values) string {
	typed := strings.TrimSpace(form.Get("confirm"))
	if digits := words.Glued(t.Word); digits != "" && words.Glued(typed) == digits { // "12 345" is 12345
		return ""
	}
	if strings.EqualFold(typed, t.Word) {
		return ""
	}
	return "Type " + t.Word + "."
}
