package mandates

import (
	"strings"
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/views/components"
)

// mandateFacts are all the particulars of a mandate.
func mandateFacts(m mandate.Mandate, now time.Time) (out []components.Fact) {
	add := func(label, value string) {
		if value != "" {
			out = append(out, components.Fact{Label: label, Value: value})
		}
	}
	at := func(label string, t time.Time) {
		if !t.IsZero() {
			out = append(out, components.Fact{Label: label, Part: components.When(words.Ago(t, now))})
		}
	}
	out = append(out, components.Fact{Label: "Contract reference", Value: m.ContractReference, Copy: m.ContractReference,
		Mono: true})
	if m.BankReference != "" {
		out = append(out, components.Fact{Label: "Bank’s reference", Value: m.BankReference, Copy: m.BankReference,
			Mono: true})
	}
	add("Account holder", m.HolderName)
	if m.AccountMask != "" {
		add("Bank", strings.TrimSpace(bank.BankName(m.BankCode)+" "+m.BankCode))
		out = append(out, components.Fact{Label: "Account", Value: m.AccountMask, Mono: true})
		add("Type", m.AccountType.Label())
	}
	add("Short name", m.AbbreviatedName)
	add("Profile", m.ProfileCode)
	out = append(out, components.Fact{Label: "Your clearing account", Value: m.ClearingAccount, Mono: true})
	at("Created", m.CreatedAt)
	at("Usable since", m.AcceptedAt)
	at("Ended", m.EndedAt)
	return out
}

// termFacts are the terms with plain labels.
func termFacts(m mandate.Mandate, currency string) components.Facts {
	f := components.Facts{Wide: true}
	add := func(label, value string) { f.Items = append(f.Items, components.Fact{Label: label, Value: value}) }
	t := m.Terms
	if t == nil {
		add("Amounts", "What is owed under the agreement")
		add("Frequency", rhythmWords(m))
		return f
	}
	for _, v := range words.ValueTypes {
		if v.Type == t.ValueType {
			add("Amounts", v.Fact)
		}
	}
	add("Agreed amount", words.Sum(t.PriceCents, currency))
	add("Maximum", words.Sum(t.MaxAmountCents, currency))
	if t.DebitSequence == mandate.OnceOff {
		add("Debits", "One only")
	} else {
		add("Debits", "Recurring")
	}
	add("Frequency", rhythmWords(m))
	add("Other days", yesWords(t.AllowDateAdjustment, "Allowed; such debits may be disputed",
		"Refused by the client’s bank"))
	add("Adjustment", adjustmentWords(*t, currency))
	add("How the client is asked", words.Capital(t.Authentication.Label()))
	add("If there is no answer", yesWords(t.DelayedOnFailure, "Asked again, then registered",
		"The request ends"))
	add("Account verification", yesWords(t.VerifyAccount, "Asked for", "Not asked for"))
	return f
}

func yesWords(yes bool, if1, if0 string) string {
	if yes {
		return if1
	}
	return if0
}

var categoryWords = map[mandate.Category]string{
	mandate.Quarterly: "every three months", mandate.Biannually: "every six months", mandate.Annually: "every year",
	mandate.Repo: "with the repo rate",
}

// adjustmentWords says how price and maximum change: "6,5 % every year".
func adjustmentWords(t mandate.Terms, currency string) string {
	often := categoryWords[t.AdjustmentCategory]
	switch {
	case often == "":
		return "Never"
	case t.AdjustmentRate != nil:
		return strings.Replace(t.AdjustmentRate.String(), ".", ",", 1) + money.NBSP + "% " + often
	case t.AdjustmentAmountCents != nil:
		return words.Sum(*t.AdjustmentAmountCents, currency) + " " + often
	}
	return words.Capital(often)
}
