package mandates

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// window is when clients can be asked in real time.
func (h *MandateForms) window() mandate.Window { return h.Purchases.Window }

func (h *MandateForms) windowView(now time.Time) pages.WindowView {
	w := h.window()
	if h.Purchases.Bank.NoRealTime() != "" {
		return pages.WindowView{} // the choice says it
	}
	if !w.Open(now) {
		return pages.WindowView{Kind: "warn", Title: "Delayed for now", Text: h.closedWords()}
	}
	left := w.ClosesAt(now).Sub(now)
	v := pages.WindowView{Kind: "info", Text: fmt.Sprintf("Real-time requests are possible for another %s, until %s.",
		minutesWords(left), w.Closes)}
	if left < time.Hour {
		v.Kind = "warn"
	}
	return v
}

// closedWords says why nobody can be asked in real time, and when it is possible again.
func (h *MandateForms) closedWords() string {
	if why := h.Purchases.Bank.NoRealTime(); why != "" {
		return why
	}
	w, now := h.window(), h.Desk.Now()
	opens := w.OpensAt(now)
	day := "today"
	if calendar.DateOf(opens) != calendar.DateOf(now) {
		day = "tomorrow"
	}
	return fmt.Sprintf(
		"Banks take real-time requests from %s to %s, and it is %s now. Use a delayed request: "+
			"an SMS, and %s to answer. Real time is possible again %s at %s.",
		w.Opens,
		w.Closes,
		now.In(calendar.SAST).Format("15:04"),
		h.Purchases.Limits.Span(mandate.Delayed),
		day,
		w.Opens,
	)
}

// minutesWords is "42 minutes", or "5 h 12 m" from an hour on.
func minutesWords(left time.Duration) string {
	if left < time.Hour {
		return words.Glue(plural.Of(max(int64(left/time.Minute), 1), "minute"))
	}
	return words.SayLeft(left)
}

// calculator is the summary card: what the client's bank will allow, when the
// first debit runs and what the client will read.
func (h *MandateForms) calculator(s *mandateSetup, wrong error) pages.MandateSummary {
	v := pages.MandateSummary{Button: "Set up mandate"}
	if d, known := s.clientDetails(); known {
		v.Client = firstText(d.FullName, d.LegalName, d.Email)
		if d.BankAccount != "" && d.BankCode != "" {
			v.How = d.BankAccount.String() + " at " + words.BankWords(d.BankCode)
		}
	}
	for _, p := range s.shown(wrong) {
		field := p.Leaf()
		if field == fault.All {
			field = ""
		}
		v.Problems = append(v.Problems, components.ErrorItem{Field: field, Text: p.Message})
	}
	if s.method == purchase.EFT {
		v.Allowed = "The client signs a mandate, or agrees on our page. Banks check nothing beforehand: " +
			"each debit can be disputed within " + h.disputeDays() + ", without giving a reason."
		v.Button = "Continue to the account"
		return v
	}
	h.termsWords(&v, s)
	h.firstWords(&v, s)
	switch {
	case len(s.missing()) > 0:
		v.Button = "Make the link"
	case s.ask.AuthenticationType == string(mandate.Delayed) || s.closed(h):
		v.Button = "Send SMS to the client"
	default:
		v.Button = "Send to the phone"
	}
	return v
}

// disputeDays is how long an EFT debit of today can be disputed.
func (h *MandateForms) disputeDays() string {
	now := h.Desk.Now()
	return plural.Of(h.Purchases.Timetable.Disputes(calendar.DateOf(now), now).AutoDays, "day")
}

// closed: the form asks for real time, which switches to delayed by itself.
func (s *mandateSetup) closed(h *MandateForms) bool {
	return !h.window().Open(h.Desk.Now()) || h.Purchases.Bank.NoRealTime() != ""
}

func (h *MandateForms) termsWords(v *pages.MandateSummary, s *mandateSetup) {
	say := func(cents int64) string { return words.Sum(cents, s.brand.Currency) }
	limit, unlimited := mandate.ValueType(s.ask.ValueType).LimitCents(s.price)
	switch {
	case !s.priced && !unlimited:
		v.Allowed = "Enter the price to see what the client’s bank will allow."
		return
	case unlimited && s.ask.ValueType == string(mandate.UsageBased):
		v.MaximumNote = "No upper limit for this kind of mandate."
	case s.ask.ValueType == string(mandate.Variable):
		v.MaximumNote = "The maximum may be up to " + say(limit) + ", one and a half times the price."
	}
	if s.terms.MaxAmountCents < 1 || badField(s.termsOf, "max_amount_cents") {
		v.Allowed = "Enter the maximum to see what the client’s bank will allow."
		if s.ask.MaxAmountCents != nil {
			v.Allowed = "The client’s bank does not allow this maximum."
		}
		if s.ask.ValueType == string(mandate.Fixed) {
			v.Allowed = "Enter the price to see what the client’s bank will allow."
		}
		return
	}
	v.Maximum = say(s.terms.MaxAmountCents)
	e := s.terms.Explain(s.draft(), s.brand.Currency)
	v.Allowed, v.Disputable, v.Adjusts, v.Warnings = e.Allowed, e.Disputable, e.Adjusts, e.Warnings
	if len(e.Disputable) <= 1 && s.terms.ValueType == mandate.Fixed && !s.terms.AllowDateAdjustment &&
		!s.terms.DelayedOnFailure {
		v.Adjusts = strings.TrimSpace("Debits within these terms cannot be disputed. " + v.Adjusts)
	}
}

func badField(wrong fault.Problems, name string) bool { return wrong.Has(DdAt + "." + name) }

func (h *MandateForms) firstWords(v *pages.MandateSummary, s *mandateSetup) {
	d := h.days(s.brand)
	action := s.firstDay
	switch {
	case s.form.Get("first") == firstNone:
		v.FirstNote = "Nothing is collected now: the mandate is stored, and later purchases are charged to it."
		v.First = []components.Fact{{Label: "Amount", Value: words.Sum(0, s.brand.Currency)}}
		action = d.NextDue(s.draft(), d.Earliest(d.Now))
	case action.IsZero():
	default:
		plan := d.PlanOn(action, d.Now)
		action = plan.ActionDate
		if s.priced {
			v.First = append(v.First, components.Fact{Label: "Amount", Value: words.Sum(s.price, s.brand.Currency)})
		}
		v.First = append(v.First, components.Fact{Label: "Debit on", Value: words.SayDay(action, d.Now)},
			components.Fact{Label: "To the bank by", Value: words.SayMinute(plan.SubmitAt, d.Now)})
		v.FirstNote = strings.TrimSpace(plan.Note() + " It runs once the client has accepted.")
		h.judgeFirst(v, s, action)
	}
	h.statement(v, s, action)
}

// judgeFirst warns where the first debit would leave the terms, or could be disputed.
func (h *MandateForms) judgeFirst(v *pages.MandateSummary, s *mandateSetup, action calendar.Date) {
	if v.Maximum == "" || s.total() == 0 {
		return
	}
	m := s.draft()
	runs := func(calendar.Date) calendar.Date { return action }
	because, against := m.Judge(mandate.Debit{AmountCents: s.total(), Currency: money.ZAR, Due: s.firstDay, Runs: runs},
		h.Purchases.Calendar)
	if against.Has(mandate.AtDue) || slices.Contains(because, mandate.BecauseDateDiffers) {
		v.Warnings = append(v.Warnings, fmt.Sprintf(
			"The first debit, on %s, is not on the deduction day. The client confirms that day too; "+
				"if the debit runs later than that, it may be disputed.",
			words.SayDay(action, h.Desk.Now()),
		))
	}
}

// statement shows the 30 characters that the client will read. The contract
// reference is given when the mandate is made.
func (h *MandateForms) statement(v *pages.MandateSummary, s *mandateSetup, action calendar.Date) {
	short, ok := collection.ShortName(s.profile.AbbreviatedName)
	if !ok {
		return
	}
	free := "YYMMDD"
	if !action.IsZero() {
		free = collection.FreeText(action)
	}
	line, err := collection.StatementLine(short, ReferenceShape(s.brand), free)
	if err != nil {
		return
	}
	const name, reference = collection.ShortNameWidth, collection.ShortNameWidth + collection.ReferenceWidth
	v.Statement = []pages.StatementPart{{Text: line[:name], Label: "short name"},
		{Text: line[name:reference], Label: "contract reference"}, {Text: line[reference:], Label: "debit day"}}
	v.StatementHint = "30 characters. The # marks stand for a number that the mandate gets when it is created."
}

// ReferenceShape is how contract references of a brand look.
func ReferenceShape(b merchant.Brand) string {
	const digits = 10
	prefix := strings.ToUpper(b.ReferencePrefix)
	if len(prefix) > collection.ReferenceWidth-digits {
		prefix = prefix[:collection.ReferenceWidth-digits]
	}
	return prefix + strings.Repeat("#", digits)
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// clearingWords names the merchant's account that the money lands in.
func clearingWords(p merchant.Profile) string {
	return bank.AccountNumber(p.AccountNumber).String()
}
