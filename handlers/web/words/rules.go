package words

import (
	"strings"

	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/rulebook"
)

// ruleNames are the rules in words, by their keys.
var ruleNames = map[string]string{
	"calendar.holiday":           "Declared public holiday",
	"cma.branches":               "Branch codes in other countries",
	"cma.debit_allowed":          "Debits from accounts in other countries",
	"cma.prefix_warn":            "Branch codes that may be foreign begin with",
	"cpa.cancel":                 "Notice by which a client ends a fixed term",
	"cpa.expiry_notice":          "Notice before a fixed term ends",
	"cpa.max_term":               "Longest fixed term",
	"cpa.scope":                  "Who is protected",
	"dc.amend.notify_only":       "Changes that a client is only told of",
	"dc.amend.reauth":            "Changes that a client confirms again",
	"dc.collection_day":          "Debit days that a mandate can name",
	"dc.cutoff":                  "Cut-off before the debit date",
	"dc.date_shift_back_ok":      "A debit moved back cannot be disputed",
	"dc.delayed_hours":           "Time to answer a delayed request",
	"dc.disputable":              "A debit within the mandate can be disputed",
	"dc.max_factor":              "Largest maximum of a mandate",
	"dc.personal_only":           "Personal accounts only",
	"dc.request_hours":           "When clients can be asked in real time",
	"dc.suspend_after":           "Failed debits that suspend a mandate",
	"dc.tracking_days":           "Longest time in tracking",
	"dc.tt1.answer_s":            "Time to answer in real time",
	"dc.tt1.attempts":            "Requests in real time for one mandate",
	"dc.tt1b.until":              "Requests of the same day end at",
	"dc.tt2.until":               "Requests by file end at",
	"dc.tt3":                     "Confirmation at a terminal",
	"dc.usage_warn_c":            "A usage-based maximum is warned about above",
	"dc.window":                  "When debits run",
	"dispute.auto_days":          "Time in which a dispute is refunded at once",
	"dispute.count":              "How the days are counted",
	"dispute.defence":            "The collector is heard after that time",
	"dispute.grounds":            "Grounds of a dispute",
	"dispute.last_day_inclusive": "The last day still counts",
	"dispute.late_max":           "Longest time for a dispute",
	"dispute.proof_days":         "Time to prove the mandate",
	"dispute.redebit":            "Debits after a dispute under the same mandate",
	"dispute.refund_days":        "Until the client has the money",
	"dispute.transition":         "Late disputes of older debits are judged",
	"dispute.voice_immediate":    "Voice mandates: the collector is debited at once",
	"edo.stream":                 "Early debits run by DebiCheck only",
	"eft.arrear":                 "How arrears are collected",
	"eft.cutoff.same_day":        "Cut-off of the same-day service",
	"eft.cutoff.two_day":         "Cut-off of the two-day service",
	"eft.mandate_ends_on":        "What ends a mandate",
	"eft.once_off":               "A once-off mandate ends after its debit",
	"eft.presentments_per_cycle": "Debits of one instalment",
	"eft.processing_days":        "When banks debit",
	"eft.return_window":          "Time in which a debit can be returned unpaid",
	"eft.shift":                  "A debit on a closed day moves to the day",
	"eft.stop_payment":           "A stop by the client counts at once",
	"eft.tracking":               "The bank waits for money",
	"eft.unpaid_in_row_ends":     "Failed debits that end a mandate",
	"eft.window":                 "When debits run",
	"invoice.days":               "Time to give a tax invoice",
	"invoice.full_above_c":       "A full tax invoice is needed above",
	"invoice.none_upto_c":        "No tax invoice is needed up to",
	"invoice.words":              "What an invoice may be called",
	"mandate.voice_confirm":      "Time to confirm a voice mandate in writing",
	"nca.allocation":             "What a payment of a credit pays first",
	"nca.charge":                 "What a mandate of a credit must name",
	"nca.notice":                 "Notice before the first debit of a credit",
	"nca.setoff":                 "Set-off against a credit",
	"nps.authorisation":          "Authorisation of payment activities",
	"nps.directive_2_2024":       "Payments in a client’s name are forbidden",
	"nps.eft_sunset":             "End of EFT debit orders",
	"org.clearing":               "Who clears debit orders",
	"org.pasa_end":               "End of PASA",
	"payshap.request_live":       "Requests to pay exist",
	"payshap.request_max":        "Largest request to pay",
	"payshap.requests_per_day":   "Requests to pay in a day",
	"payshap.scheme_max":         "Largest payment",
	"penalty.abuse_list":         "Missing mandates that lead to the abuse list",
	"penalty.mandate":            "Penalty for a missing or false mandate",
	"popia.answer_days":          "Time to answer a request about personal data",
	"popia.correction":           "Correction and deletion",
	"popia.day":                  "How the days are counted",
	"popia.marketing":            "Marketing",
	"popia.objection":            "How a client may object",
	"ratio.dispute":              "Limit of disputed debits in a month",
	"ratio.unpaid":               "Limit of failed debits in a month",
	"retention.mandate":          "How long a mandate is kept after its last debit",
	"rm.allowed":                 "Registered mandates exist",
	"rm.business_accounts":       "Accounts of businesses, too",
	"rm.disputable":              "Each debit can be disputed",
	"rm.needs_failed_auth":       "A failed request is needed first",
	"rm.payer_approval":          "The client confirms",
	"rm.required_fields":         "What is needed of the client",
	"rm.result":                  "When the result comes",
	"rm.same_day_cutoff":         "Cut-off for the same evening",
	"rm.tracking_days":           "Longest time in tracking",
	"rm.tracking_start":          "When tracking starts",
	"rm.window":                  "When debits run",
	"rms.allowed":                "Mandates registered after no answer (RMS)",
	"vat.rate_bp":                "VAT rate",
	"vat.register_c":             "A business must register for VAT above",
	"vat.voluntary_c":            "A business may register for VAT above",
}

// RuleName is a rule in words.
func RuleName(key string) string { return ruleNames[key] }

// RuleSubjects are the subjects of rules, in the order of the page, with how their keys begin.
var RuleSubjects = []struct {
	Title string
	Keys  []string
}{
	{"Disputes", []string{"dispute."}},
	{"EFT debit orders", []string{"eft."}},
	{"DebiCheck", []string{"dc.", "edo."}},
	{"Registered mandates", []string{"rm.", "rms."}},
	{"Mandates, limits and penalties", []string{"ratio.", "penalty.", "retention.", "mandate."}},
	{"Other countries of the Common Monetary Area", []string{"cma."}},
	{"Public holidays", []string{"calendar."}},
	{"VAT and invoices", []string{"vat.", "invoice."}},
	{"Requests to pay (PayShap)", []string{"payshap."}},
	{"Credit and consumer law", []string{"nca.", "cpa."}},
	{"Personal data", []string{"popia."}},
	{"The payment system", []string{"org.", "nps."}},
}

// RuleValue is what a rule says, in words.
func RuleValue(r rulebook.Row) string {
	n, v := r.Value.Int(), r.Value
	switch {
	case r.Unit == "notice":
		return "For information"
	case v.None():
		return "None"
	case r.Unit == "cents":
		return Sum(n, money.ZAR)
	case r.Unit == "basis points":
		return Percent(n)
	case r.Unit == "days" || r.Unit == "business days" || r.Unit == "months" || r.Unit == "years" ||
		r.Unit == "hours" || r.Unit == "seconds":
		if list := v.List(); len(list) > 0 {
			return strings.Join(list, " to ") + " " + r.Unit
		}
		return plural.Of(n, strings.TrimSuffix(r.Unit, "s"))
	case r.Unit == "in a row":
		return plural.Number(n) + " in a row"
	case r.Unit == "of the price":
		over, under := v.Ratio()
		return plural.Number(over) + "/" + plural.Number(under) + " of the price"
	case r.Unit == "business days, time":
		days, at, _ := strings.Cut(v.Text(), " ")
		if days == "0" {
			return at + " on the debit date"
		}
		return at + ", " + days + " business days before"
	}
	return Capital(strings.ReplaceAll(v.String(), "_", " "))
}

// Percent writes basis points: 15 %, 0,5 %.
func Percent(basisPoints int64) string {
	whole, rest := basisPoints/100, basisPoints%100
	text := plural.Number(whole)
	if rest > 0 {
		text += "," + strings.TrimRight(string([]byte{byte('0' + rest/10), byte('0' + rest%10)}), "0")
	}
	return text + money.NBSP + "%"
}

// RuleFor says for which debits, and at whom, a rule holds.
func RuleFor(r rulebook.Row) string {
	stream := map[string]string{rulebook.EFT: "EFT", rulebook.DebiCheck: "DebiCheck", rulebook.RM: "Registered mandates",
		rulebook.RMS: "RMS", "naedo": "NAEDO", rulebook.PayShap: "PayShap", rulebook.AnyStream: "All"}[r.Stream]
	switch kind, who, _ := strings.Cut(r.Scope, ":"); {
	case r.OfMerchant():
		return stream + " · your own rule"
	case r.Scope == rulebook.AnyProvider:
		return stream + " · what banks do"
	case kind == "bank":
		return stream + " · at " + who
	case kind == "provider":
		return stream + " · as read by " + strings.Replace(who, "/bank:", " of ", 1)
	}
	return stream
}

// RuleSure says how sure a source is.
func RuleSure(grade string) string {
	return map[string]string{"A": "the text of the law", "B": "the law, as reported",
		"C": "the scheme, a bank or a provider",
		"D": "the press", "E": "our conclusion", "F": "an earlier reference"}[grade]
}

// RuleOverride says who may replace a rule.
func RuleOverride(o rulebook.Override) string {
	return map[rulebook.Override]string{rulebook.ByNobody: "No one", rulebook.ByBank: "Your bank",
		rulebook.ByTighter: "You, if stricter", rulebook.ByFree: "You"}[o]
}

// RuleDay is the day on which a rule begins or ends.
func RuleDay(d calendar.Date) string {
	if d.IsZero() {
		return "–"
	}
	return d.Format("2 Jan 2006")
}
