package kit

import (
	"context"
	"net/url"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/member"
	"debitdesk/models/money"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// FollowupForm asks for a note, a call or a promise to pay, with what was typed and what was wrong with it.
func FollowupForm(do string, typed url.Values, wrong error, phone string, cents int64, now time.Time) pages.QueueForm {
	byInput, summary, _ := Problems(wrong)
	key := typed.Get(FormKeyName)
	if key == "" {
		key = NewFormKey()
	}
	f := pages.QueueForm{Problems: components.ErrorSummary{Items: summary},
		Hidden: []components.Pair{{Name: "do", Value: do}, {Name: FormKeyName, Value: key}}}
	typedOr := func(name, otherwise string) string {
		if typed.Has(name) {
			return typed.Get(name)
		}
		return otherwise
	}
	f.Text = &components.Textarea{Label: "Note", Name: "text", Value: typed.Get("text"), Error: byInput["text"], Rows: 2,
		MaxLength: 2000}
	press := func(label string) { f.Title, f.Button = label, components.Button{Label: label, Kind: "primary"} }
	today := calendar.DateOf(now)
	ask := func(day string) {
		amount := ""
		if cents > 0 {
			amount = money.Amount(cents)
		}
		f.Money = &components.MoneyField{Label: "Amount promised", Name: "amount", Value: typedOr("amount", amount),
			Currency: "R", Required: true, Error: byInput["amount"]}
		f.Date = &components.DateField{Label: "Day promised", Name: "due_on", Value: typedOr("due_on", day),
			Min: today.String(), Required: true, Error: byInput["due_on"]}
	}
	switch do {
	case "note":
		press("Add note")
		f.Text.Required = true
	case "call":
		press("Log call")
		f.Outcomes = &components.Select{Label: "How did it end?", Name: "outcome", Required: true,
			Blank: "Choose how it ended", Error: byInput["outcome"]}
		for _, o := range followup.Outcomes {
			f.Outcomes.Options = append(f.Outcomes.Options, components.Option{Value: string(o), Text: o.Label(),
				Selected: typed.Get("outcome") == string(o)})
		}
		f.Phone = &components.Field{Label: "Number called", Name: "phone", Value: typedOr("phone", words.PhoneWords(phone)),
			Type: "tel", Error: byInput["phone"]}
		ask("")
	case "promise":
		press("Save promise")
		f.Say = "It waits in Needs attention again from the day after, unless it is paid by then."
		ask(today.AddDays(1).String())
	default:
		f.Text = nil
	}
	return f
}

// WriteFollowup writes down the note or the call of a form, and says so. A call that ended in a promise asks what was
// promised.
func WriteFollowup(ctx context.Context, s *followup.Service, who actor.Actor, about []followup.Object,
	form url.Values, now time.Time) (n int, said string, err error) {
	if form.Get("do") != "call" {
		n, err = s.AddNote(ctx, who, about, form.Get("text"))
		return n, "Note added.", err
	}
	call := followup.Call{Outcome: followup.Outcome(form.Get("outcome")), Phone: form.Get("phone"), Text: form.Get("text")}
	said = "Call logged."
	if call.Outcome == followup.Promises {
		if call.Promise, err = promiseOf(form); err != nil {
			return 0, "", err
		}
		said = "Call logged. Promised for " + words.SayDay(call.Promise.DueOn, now) + "."
	}
	n, err = s.LogCall(ctx, who, about, call)
	return n, said, err
}

// promiseOf reads what was promised from a form.
func promiseOf(form url.Values) (in followup.Promising, err error) {
	if form.Get("due_on") == "" {
		return in, fault.At("due_on", "required", "Enter the day on which the client promised to pay.")
	}
	if in.DueOn, err = calendar.ParseDate(form.Get("due_on")); err != nil {
		return in, fault.At("due_on", "invalid", "Enter the day as a date.")
	}
	if in.AmountCents, err = money.Parse(form.Get("amount")); err != nil {
		return in, fault.At("amount", "invalid", "%s.", words.Capital(err.Error()))
	}
	in.Text = form.Get("text")
	return in, nil
}

// WriteOwner gives things to the person whom a form names, and says so.
func WriteOwner(ctx context.Context, s *followup.Service, who actor.Actor, about []followup.Object,
	form url.Values) (n int, said string, err error) {
	owner, wrong := uuid.Parse(form.Get("owner"))
	if wrong != nil && form.Get("owner") != "none" {
		return 0, "", fault.At("owner", "invalid_choice", "Choose a person of the team.")
	}
	n, err = s.Assign(ctx, who, about, owner)
	return n, "Owner changed.", err
}

// AskOwner makes a form ask who looks after something.
func AskOwner(f *pages.QueueForm, people []member.Member, owner uuid.UUID, wrong error) {
	byInput, _, _ := Problems(wrong)
	f.Title, f.Button = "Assign", components.Button{Label: "Assign", Kind: "primary"}
	f.Choice = &components.Select{Label: "Owner", Name: "owner", Required: true, Error: byInput["owner"],
		Options: OwnerOptions(people, owner)}
}

// OwnerOptions are the people who can look after something.
func OwnerOptions(people []member.Member, owner uuid.UUID) []components.Option {
	out := []components.Option{{Value: "none", Text: "No owner", Selected: owner == uuid.Nil}}
	for _, m := range people {
		if p, _ := actor.PermissionFor(actor.Write); m.Active() && p.Given(m.Role) {
			out = append(out, components.Option{Value: m.ID.String(), Text: m.Called(), Selected: m.ID == owner})
		}
	}
	return out
}

// OwnerName is who looks after something.
func OwnerName(people []member.Member, owner uuid.UUID) string {
	for _, m := range people {
		if m.ID == owner {
			return m.Called()
		}
	}
	return "left the team"
}

// kindWords are why things need attention, in the middle of a sentence.
var kindWords = map[followup.Kind]string{
	"failed":             "the debit failed",
	"account_gone":       "the account to be debited is gone",
	"unconfirmed":        "the mandate was not confirmed",
	"disputed":           "the debit is disputed",
	"silent":             "the bank has not answered",
	"twice":              "paid back twice",
	"refund":             "a refund is to be paid back",
	"blocked":            "the account is blocked and still needed",
	"suspended":          "the client’s bank suspended the mandate",
	"stranded":           "there is no account to debit",
	"terms":              "the mandate does not allow the next period",
	"replaced":           "the confirmed replacement account is not in use",
	"idle":               "nothing is planned on the mandate",
	"overdue":            "it is overdue and was never debited",
	"closed_day":         "the debit is on a closed day",
	"mail":               "a mail was not delivered",
	followup.KindRequest: "the client asked for something",
	followup.KindPromise: "a promise to pay is due",
}

// KindWords says why something needs attention, in the middle of a sentence.
func KindWords(k followup.Kind) string { return kindWords[k] }

// WritePromise writes down the promise of a form, and says so.
func WritePromise(ctx context.Context, s *followup.Service, who actor.Actor, about followup.Object, form url.Values,
	now time.Time) (p followup.Promise, said string, err error) {
	in, err := promiseOf(form)
	if err != nil {
		return p, "", err
	}
	p, err = s.AddPromise(ctx, who, about, in)
	return p, "Promise saved for " + words.SayDay(in.DueOn, now) + ".", err
}
