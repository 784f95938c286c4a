package purchase

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/mandate"
	"debitdesk/models/rulebook"
	"debitdesk/models/token"
)

// notBefore is the first day for which a debit that failed may be presented again
// under its mandate: the next date that the mandate names (industry: after an unpaid
// a debit may not be resubmitted before the next mandated date). A DebiCheck mandate
// that allows other dates names them all. Zero: nothing holds it back, since the
// money did not fail to be there, or the debit was of another account.
//
// An instalment may be presented as often on each such date as the rule of the debit's day says (once).
func notBefore(last collection.Collection, t token.Token, m mandate.Mandate, rules *rulebook.Book) calendar.Date {
	most := int(rules.On("eft.presentments_per_cycle", rulebook.EFT, last.ActionDate).Int())
	if last.Method == bank.EFT && most > 0 && last.Attempt%most != 0 {
		return calendar.Date{}
	}
	if last.State != collection.Unpaid || last.TokenID != t.ID || bank.CodeOf(last.Result.Code).Class != bank.Soft {
		return calendar.Date{}
	}
	after := last.OriginalDate
	if last.ActionDate.After(after) {
		after = last.ActionDate
	}
	if m.Terms != nil && m.Terms.AllowDateAdjustment {
		return after.AddDays(1)
	}
	return m.NextDay(after.AddDays(1))
}

// again notes that the last debit of the purchase failed and may not be presented
// on this day yet.
func (f *Forecast) again(last collection.Collection, now time.Time, rules *rulebook.Book) {
	day := notBefore(last, f.Token, f.Mandate, rules)
	if day.IsZero() {
		return
	}
	if earliest := f.schedule.Runs(day, now); f.Plan.ActionDate.Before(earliest) {
		f.Problems.Add(
			AtDue,
			"due_too_soon",
			"The last debit failed: %s. It may not run again before the next date that the mandate names: "+
				"the earliest debit date is %s.",
			bank.CodeOf(last.Result.Code).Label(),
			earliest.Format("Mon 2 Jan 2006"),
		)
	}
}

// Again answers "may I debit again?" for a purchase whose last debit failed.
type Again struct {
	Asked   bool          // the last debit failed, and the purchase is still to be paid
	Account token.Token   // that it failed on; zero when it is not on record any more
	Problem string        // why this account may not be debited again; empty when it may
	Remedy  string        // what helps then, one sentence
	From    calendar.Date // the first debit date on which it may; zero when it may not
	Named   bool          // From is held back by the mandate, not by the bank's timetable alone
	Agreed  calendar.Date // the first day from From on that the mandate names; From itself where it names none
	Others  []token.Token // other accounts of the client that can be debited at once
}

// Soonest is the first day on which it may be debited again, which a person may ask for.
func (a Again) Soonest() calendar.Date { return a.From }

// OnAgreed is the first day on which it may be debited again and which the mandate names: what runs by itself debits on
// no other, also when the day after the failure has passed (follow-up.md, section 5).
func (a Again) OnAgreed() calendar.Date { return a.Agreed }

// May tells whether the account may be debited again.
func (a Again) May() bool { return a.Asked && a.Problem == "" }

// Again works out whether, from when and from which account a purchase may be
// debited again. Charging is held to the same.
func (s *Service) Again(ctx context.Context, rec Record) (Again, error) {
	now := s.Now()
	if !rec.failedDebit(now) {
		return Again{}, nil
	}
	usable, err := s.StoredFor(ctx, rec)
	if err != nil {
		return Again{Asked: true}, err
	}
	k, err := s.accounts(ctx, rec.MerchantID, []Wish{{Purchase: rec.Purchase, TokenID: rec.Collection.TokenID}})
	if err != nil {
		return Again{Asked: true}, err
	}
	return s.judgeAgain(k, rec, now).with(rec, usable), nil
}

// with names the other accounts of the client that can be debited.
func (a Again) with(rec Record, usable []token.Token) Again {
	for _, t := range usable {
		if t.ID != rec.Collection.TokenID {
			a.Others = append(a.Others, t)
		}
	}
	return a
}

// failedDebit tells that the last debit failed and the purchase is still to be paid.
func (r Record) failedDebit(now time.Time) bool {
	return r.Collection != nil && r.Collection.State.Outcome() == collection.OutcomeFailed && r.Payable(now)
}

// judgeAgain is Again for the account of the last debit, which failed.
func (s *Service) judgeAgain(k known, rec Record, now time.Time) Again {
	a, c := Again{Asked: true}, rec.Collection
	var f Forecast
	if k.account(rec.Purchase, c.TokenID, &f); f.Token.ID == uuid.Nil {
		a.Problem, a.Remedy = "its account is no longer on record", "Store an account of the client first."
		return a
	}
	a.Account = f.Token
	a.Problem, a.Remedy = unusable(f.Token, f.Mandate)
	if a.Problem == "" && s.cannotDebit(f.Token.Method) != "" {
		a.Problem, a.Remedy = "your bank connection cannot do DebiCheck", "Store an account of the client by EFT."
	}
	if a.Problem == "" && len(f.Problems) > 0 {
		a.Problem, a.Remedy = "its mandate allows one debit only", "Set up a new mandate first."
	}
	if a.Problem == "" && !s.offers(rec, f.Token) { // charging would not offer it
		a.Problem, a.Remedy = "this purchase cannot be debited from it", "Create a new purchase for the client."
	}
	if a.Problem != "" {
		return a
	}
	sched := s.Schedule(k.brands[rec.BrandID], bank.Method(f.Token.Method))
	a.From = sched.Runs(sched.EarliestDue(now), now)
	a.Agreed = a.From
	if day := notBefore(*c, f.Token, f.Mandate, s.Timetable.Rules); !day.IsZero() {
		if runs := sched.Runs(day, now); runs.After(a.From) {
			a.From, a.Named = runs, true
		}
		a.Agreed = agreedFrom(a.From, sched, f.Mandate)
	}
	return a
}

// agreedFrom is the day on which a debit runs whose due day a mandate names, on a day or later; the day itself under a
// mandate that allows any.
func agreedFrom(from calendar.Date, days collection.Schedule, m mandate.Mandate) calendar.Date {
	if m.Terms != nil && m.Terms.AllowDateAdjustment {
		return from
	}
	const moved = 10 // days; no closed day is moved further
	for day := m.NextDay(from.AddDays(-moved)); ; day = m.NextDay(day.AddDays(1)) {
		if runs := days.Shifted(day); !runs.Before(from) {
			return runs
		}
	}
}

// unusable says why an account may not be debited, and what helps.
func unusable(t token.Token, m mandate.Mandate) (problem, remedy string) {
	switch {
	case t.Objected():
		return "the client says that it did not agree to the mandate", "Answer the client’s request first."
	case t.State == token.Blocked:
		return "it is blocked because of “" + bank.Label(t.BlockedCode) + "”", bank.Remedy(t.BlockedCode)
	case t.State == token.Superseded:
		return "it was replaced by a newer account", "Debit the newer account."
	case t.State == token.Pending:
		return "it is not stored yet", "Send the client the link, or store the account."
	case t.State != token.Active:
		return "it was deleted", "Store an account of the client first."
	case !m.State.Usable():
		return "its mandate cannot be used", "Store the account again with a new mandate."
	}
	return "", ""
}
