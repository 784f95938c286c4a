// Package mytext chooses the texts of the client's own page and of the mails about it: which of them says what is true.
// The texts themselves stand in the catalogues of package locale. It must not know what is true.
package mytext

import (
	"strconv"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/clientpage"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/token"
)

// Act names an act, as the links and buttons of the page do.
func Act(w locale.Words, k clientpage.Kind, asks bool) string {
	if key := "my.asks." + string(k); asks && locale.Has(key) {
		return w.Say(key)
	}
	return w.Say("my.act." + string(k))
}

// Right is what a privacy request can ask for.
func Right(w locale.Words, k clientpage.RequestKind) string { return w.Say("my.right." + string(k)) }

// Explain says what an act does, before anything is asked.
func Explain(w locale.Words, k clientpage.Kind, offer clientpage.Offer, brand string) []string {
	switch k {
	case clientpage.Promise:
		return []string{w.Say("my.explain.promise", "business", brand)}
	case clientpage.Invoice:
		return []string{w.Say("my.explain.invoice")}
	case clientpage.Day:
		return []string{w.Say("my.explain.day")}
	case clientpage.Stop:
		return []string{w.Say("my.explain.stop.1"), w.Say("my.explain.stop.2"), w.Say("my.again", "business", brand)}
	case clientpage.Pause:
		return []string{w.Say("my.explain.pause.1", "business", brand), w.Say("my.explain.pause.2")}
	case clientpage.Account:
		return []string{w.Say("my.explain.account.1"), w.Say("my.explain.account.2", "business", brand)}
	case clientpage.Objected:
		bank := "my.explain.objected.2"
		if offer.DebiCheck {
			bank = "my.explain.objected.bank"
		}
		said := []string{w.Say("my.explain.objected.1", "business", brand)}
		if offer.Disputes > 0 { // else it cannot be done
			said = append(said, w.Say(bank, "days", strconv.Itoa(offer.Disputes)))
		}
		return said
	case clientpage.Details:
		return []string{w.Say("my.explain.details", "business", brand)}
	case clientpage.Privacy:
		return []string{w.Say("my.explain.privacy.1", "business", brand), w.Say("my.explain.privacy.2", "business", brand)}
	}
	return nil
}

// values are what the texts about an act can name.
func values(w locale.Words, a clientpage.Act, brand string) []string {
	return []string{"what", a.Wish.Named, "amount", money.Format(a.Wish.Cents, money.ZAR), "date", day(w, a.Wish.Day),
		"was", day(w, a.Wish.Was), "business", brand}
}

func day(w locale.Words, d calendar.Date) string {
	if d.IsZero() {
		return ""
	}
	return w.Day(d)
}

// Doing says in one sentence what is confirmed by a code: "You want to …".
func Doing(w locale.Words, a clientpage.Act) string {
	key := "my.doing." + string(a.Kind)
	switch asking := "my.asking." + string(a.Kind); {
	case a.Kind == clientpage.Privacy:
		key += "." + string(a.Wish.Request)
	case a.Wish.Asks && locale.Has(asking):
		key = asking
	}
	return w.Say(key, values(w, a, "")...)
}

// Did says what came of an act.
func Did(w locale.Words, a clientpage.Act, brand string) []string {
	with := values(w, a, brand)
	if a.Wish.Asks {
		if a.Wish.Request != "" {
			return []string{Doing(w, a), w.Say("my.did.request", with...)}
		}
		return []string{Doing(w, a), w.Say("my.did.asked", with...)}
	}
	said := []string{w.Say("my.did."+string(a.Kind), with...)}
	switch a.Kind {
	case clientpage.Promise:
		said = append(said, w.Say("my.did.promise.cannot", with...))
	case clientpage.Day:
		said = append(said, w.Say("my.did.day.money"))
	case clientpage.Objected:
		if a.Wish.Left > 0 {
			said = append(said, w.Say("my.did.objected.left"))
		}
	default: // said in one sentence
	}
	return said
}

// DidSubject is the subject of the mail that confirms an act.
func DidSubject(w locale.Words, a clientpage.Act) string {
	if a.Wish.Asks {
		return w.Say("mail.did.asked")
	}
	return w.Say("mail.did." + string(a.Kind))
}

// Reason is why a debit was not paid, with the code of the banks.
func Reason(w locale.Words, code string) string {
	if key := "reason." + code; w.Language != locale.English && locale.Has(key) {
		return w.Say(key) + " (" + code + ")"
	}
	return w.Own(bank.Label(code))
}

// Permission names a mandate.
func Permission(w locale.Words, account, bank string) string {
	if bank == "" {
		return w.Say("my.mandates.account", "account", account)
	}
	return w.Say("my.mandates.at", "account", account, "bank", bank)
}

// Mandate is the state of a mandate in a word.
func Mandate(w locale.Words, s mandate.State) string { return w.Say("mandate." + string(s)) }

// MandateOf is the state of a mandate with that of its account: from a blocked one nothing is debited, whatever the
// mandate allows.
func MandateOf(w locale.Words, s mandate.State, account token.State) string {
	if s == mandate.ActiveState && account == token.Blocked {
		return Mandate(w, mandate.BlockedBy)
	}
	return Mandate(w, s)
}

// PermissionState says how a mandate stands; state is in words.
func PermissionState(w locale.Words, debiCheck bool, state, reference string) string {
	if debiCheck {
		return w.Say("my.mandates.debicheck", "reference", reference, "state", state)
	}
	return w.Say("my.mandates.eft", "reference", reference, "state", state)
}

// SubscriptionState says how a subscription stands.
func SubscriptionState(w locale.Words, status, why string, paused bool) string {
	switch {
	case status == "active" && !paused:
		return w.Say("my.subs.running")
	case status == "pending":
		return w.Say("my.subs.pending")
	case status == "inactive":
		return w.Say("my.subs.ended")
	case why == "payer":
		return w.Say("my.subs.stopped")
	case why == "client":
		return w.Say("my.subs.paused")
	}
	return w.Say("my.subs.waits")
}

// Refusal says why something cannot be done. What there is no text for is known in English alone.
func Refusal(w locale.Words, f *fault.Fault, brand string) string {
	key := "fault." + f.Code
	if w.Language == locale.English || !locale.Has(key) {
		return w.Own(f.Message)
	}
	return w.Say(key, "business", brand)
}

// Wrong says what is wrong with what was typed. Last is the last day that can be chosen; tries are how often a code can
// still be entered.
func Wrong(w locale.Words, f fault.Field, last calendar.Date, tries int) string {
	key := "fault." + f.Leaf() + "." + f.Code
	switch {
	case w.Language == locale.English || !locale.Has(key):
		return w.Own(f.Message)
	case key == "fault.code.wrong":
		return w.Count(key, tries)
	}
	return w.Say(key, "date", w.Day(last))
}
