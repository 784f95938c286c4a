package book

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// mandate reads the permission to debit.
func (r *reading) mandate() {
	v := &r.line.Values
	v.OldMandate = r.text(OldMandate, 64)
	v.SignedOn, _ = r.date(SignedOn)
	if text, given := r.cell(Failures); given {
		n, err := strconv.Atoi(digitsOf(text))
		if err == nil {
			v.Failures = n
		}
	}
	if v.Details.BankAccount == "" {
		return
	}
	if v.Failures >= mostFailures {
		v.NoDebit = true
		r.say(Warning, Failures, CauseFailures, "%s in a row failed at the old system: the mandate is over, and a new one "+
			"is needed", plural.Of(v.Failures, "debit"))
		return
	}
	if !r.mandateStatus() {
		return
	}
	switch _, given := r.cell(SignedOn); {
	case v.SignedOn.After(r.Today):
		if r.chose(CauseFuture) == choiceNoDebit {
			v.NoDebit = true
			return
		}
		r.wrong(SignedOn, CauseFuture, "the mandate would be signed on %s, which is to come", v.SignedOn)
	case !v.SignedOn.IsZero(), given && r.about(CauseDate, CauseDateOrder):
	case r.chose(CauseUndated) == choiceNoDebit:
		v.NoDebit = true
		r.say(Note, SignedOn, CauseUndated, "the client comes in without a mandate")
	case r.chose(CauseUndated) == choiceVouch:
		r.say(Warning, SignedOn, CauseUndated, "the business vouches for the mandate; its day is not known")
	default:
		r.wrong(SignedOn, CauseUndated, "it is not said when the mandate was signed. A mandate that cannot be shown costs "+
			"the "+
			"dispute")
	}
}

// mostFailures is how many debits in a row end an EFT mandate.
const mostFailures = 2

// terms reads the subscription: what is debited, how often and when.
func (r *reading) terms() {
	v := &r.line.Values
	v.Template = r.text(Template, 128)
	if text, given := r.cell(Status); given && inactiveWords[plainWord(text)] {
		v.Inactive = true
		r.say(Warning, Status, CauseInactive, "%s: the client comes in without a subscription", found(Status, text))
	}
	v.Cents, _ = r.cents(true)
	r.cycle()
	r.day()
	v.Next, _ = r.date(NextDebit)
	r.last()
	r.start()
	r.rest()
	r.owed()
}

// start reads the first period of the subscription. One that is to come is the next debit, and nothing was debited for
// it before. One that has passed tells the days of the later ones, where the file does not.
func (r *reading) start() {
	v := &r.line.Values
	started, ok := r.date(StartsOn)
	switch {
	case !ok || !v.Next.IsZero():
	case !started.Before(r.Today):
		if v.Next = started; v.Last.On.IsZero() {
			v.Last.Never = true
		}
	case v.Cycle != Monthly && v.Cycle != Weekly:
		v.Next = v.onDay(started)
	case v.Day > 0:
	case v.Cycle == Weekly:
		v.Day = started.ISOWeekday()
	default:
		if v.Day = started.Day; v.Day > mostDay {
			v.Day = LastDay
		}
	}
}

// mostDay is the last day of the month that most months have.
const mostDay = 30

// rest reads how a subscription goes on: how many debits are left, whether it is paused, and its reference.
func (r *reading) rest() {
	v := &r.line.Values
	v.Invoices = r.text(InvoiceReference, 64)
	v.MandateCents, _ = r.centsOf(MandateAmount, true)
	if text, given := r.cell(Paused); given {
		v.Paused = yesWords[plainWord(text)]
	}
	text, given := r.cell(Remaining)
	n, err := strconv.Atoi(text)
	switch {
	case !given || r.chose(CauseRemaining) == choiceDrop:
	case err != nil || n < 0 || n > mostRemaining:
		r.wrong(Remaining, CauseRemaining, "expected how many debits are still to come, found %s", found(Remaining, text))
	default:
		v.Remaining = &n
	}
}

// mostRemaining is how many periods a template can have.
const mostRemaining = 256

var yesWords = map[string]bool{"yes": true, "y": true, "true": true, "1": true, "ja": true, "paused": true}

// cents takes the amount of a debit by the mark of its column.
func (r *reading) cents(say bool) (cents int64, ok bool) { return r.centsOf(Amount, say) }

// centsOf takes an amount by the mark of its column.
func (r *reading) centsOf(f Field, say bool) (cents int64, ok bool) {
	text, given := r.cell(f)
	if !given {
		return 0, false
	}
	at := r.Mapping.Column(f)
	mark := r.Mapping.Columns[at].Decimal
	if slices.Contains(r.row.Numbers, at) {
		mark = money.PointMark
	}
	if mark == money.Unmarked {
		mark = r.markChosen()
	}
	if exponent.MatchString(text) {
		if say {
			r.wrong(f, CauseScientific, "%s", lostDigits)
		}
		return 0, false
	}
	most := money.MaxCents
	if say { // a debit, not the sum of a column
		most = money.MostCents
	}
	cents, err := money.ParseMarked(text, mark)
	if f == Amount && err == nil {
		r.line.Values.Told = cents
	}
	switch {
	case err == nil && cents >= 0 && cents <= most:
		return cents, true
	case !say:
	case errors.Is(err, money.ErrAmbiguous):
		r.wrong(f, CauseDecimalMark, "%s could be thousands or decimals; no other amount of the column tells",
			found(f, text))
	case err == nil && cents < 0:
		r.wrong(f, CauseAmount, "%s is below zero, and cannot be debited", found(f, text))
	case err == nil:
		r.wrong(f, CauseAmount, "%s is more than a debit can be", found(f, text))
	default:
		r.wrong(f, CauseAmount, "expected an amount such as 649,00, found %s", found(f, text))
	}
	return 0, false
}

func (r *reading) markChosen() money.Mark {
	return map[string]money.Mark{choiceComma: money.CommaMark, choicePoint: money.PointMark}[r.chose(CauseDecimalMark)]
}

func (r *reading) cycle() {
	v := &r.line.Values
	v.Cycle = Monthly
	text, given := r.cell(CycleOf)
	if !given {
		return
	}
	c, known := cycles[plainWord(text)]
	if !known && r.chose(CauseCycle) != choiceYes {
		r.wrong(CycleOf, CauseCycle, "expected monthly, weekly, fortnightly, quarterly, half-yearly or yearly, found %s",
			found(CycleOf, text))
		return
	}
	if known {
		v.Cycle = c
	}
}

func (r *reading) day() {
	v := &r.line.Values
	text, given := r.cell(DebitDay)
	if !given {
		return
	}
	day, ok := dayOf(text, v.Cycle)
	if !ok {
		want := "a day of the month, 1 to 30, or “last”"
		if v.Cycle.inMonths() == 0 {
			want = "a day of the week"
		}
		r.wrong(DebitDay, CauseDay, "expected %s, found %s", want, found(DebitDay, text))
		return
	}
	if day == 31 && v.Cycle.inMonths() > 0 {
		switch r.chose(CauseDay31) {
		case choiceLast:
			day = LastDay
		case choiceThirty:
			day = 30
		default:
			r.wrong(DebitDay, CauseDay31, "31 is not a debit day: only seven months have one")
			return
		}
	}
	v.Day = day
}

// last reads when the old system debited last: a day, never, or not known.
func (r *reading) last() {
	v := &r.line.Values
	if text, given := r.cell(LastDebit); given && (noneWords[plainWord(text)] || text == "-") {
		v.Last.Never = true
		return
	}
	v.Last.On, _ = r.date(LastDebit)
	switch {
	case !v.Last.On.After(r.Today):
	case r.Source.Collects && !v.Last.On.After(r.Today.AddDays(mostAhead)):
		r.say(Note, LastDebit, CausePlanned, "the old system was told to debit on %s: the first debit here comes a whole "+
			"cycle later", v.Last.On)
	default:
		r.wrong(LastDebit, CauseDate, "the last debit of the old system is to come: %s", v.Last.On)
	}
}

// wantsSubscription tells that the row says what is debited again and again.
func (v Values) wantsSubscription() bool {
	return !v.Inactive && (v.Remaining == nil || *v.Remaining > 0) && (v.Cents > 0 || strings.TrimSpace(v.Template) != "")
}

// debitable tells that the row brings an account that may be debited.
func (v Values) debitable() bool { return v.Details.BankAccount != "" && !v.NoDebit }
