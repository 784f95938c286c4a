package words

import (
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/views/components"
)

var KindWords = map[mandate.Kind]string{mandate.EFT: "EFT", mandate.DebiCheck: "DebiCheck"}

// VerifiedPill says in a word or two what the bank last said about an account;
// its Word is empty when it was never asked.
func VerifiedPill(said []mandate.Verification) components.Pill {
	if len(said) == 0 {
		return components.Pill{}
	}
	v := said[0]
	p := components.Pill{Kind: "done", Word: "Verified " + Glue(calendar.DateOf(v.At).Format("2 Jan"))}
	failures, warnings := v.Answers.Failures(), v.Answers.Warnings()
	switch {
	case len(failures) > 0:
		p.Kind, p.Word = "bad", Capital(failures[0])
	case len(warnings) == 1:
		p.Kind, p.Word = "wait", Capital(warnings[0])
	case len(warnings) > 1:
		p.Kind, p.Word = "wait", Capital(warnings[0])+" +"+Grouped(int64(len(warnings)-1))
	case !v.Answers.Checked():
		p.Kind, p.Word = "draft", "Not checked by the bank"
	}
	p.Title = "Asked on " + calendar.DateOf(v.At).Format(DayForm) + ": " + strings.Join(answered(v.Answers), ", ") + "."
	return p
}

var AnswerWords = map[bank.Answer]string{bank.Yes: "yes", bank.No: "no", bank.NotChecked: "not checked"}

func answered(v bank.Verified) (words []string) {
	for _, c := range v.Checks() {
		words = append(words, LowerFirst(c.Label)+" "+AnswerWords[c.Answer])
	}
	return words
}

var ChannelWords = map[mandate.Channel]string{
	mandate.PayPage:     "Agreed on the hosted page",
	mandate.SignedPaper: "Signed on paper",
	mandate.ByAPI:       "Held by you; recorded through the API",
	mandate.ByBank:      "Asked for at the client’s bank",
}

// ValueTypes says what each value type means: as a fact of a mandate, as a choice for a new one, as a choice for the
// mandates of a template, and as the card of a form.
var ValueTypes = []struct {
	Type                                 mandate.ValueType
	Fact, Choice, OfTemplate, Card, Text string
}{
	{mandate.Fixed, "Fixed: the agreed amount and no other", "Fixed: always the usual amount", "Fixed: always this price",
		"Always the same", "Every debit is exactly the price; the bank refuses anything else. It cannot be disputed."},
	{mandate.Variable, "Variable: up to the maximum", "Variable: up to the maximum",
		"Variable: up to one and a half times the price",
		"Varies a little", "Up to one and a half times the price. Amounts other than the price may be disputed."},
	{
		mandate.UsageBased,
		"By usage: up to the maximum",
		"By usage: up to the maximum",
		"By use: up to the maximum",
		"Depends on use",
		"Up to the maximum that you choose. Amounts other than the price may be disputed; a high maximum puts clients off.",
	},
}
