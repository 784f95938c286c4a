package files

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/iso20022"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// The names of services in a profile.
const (
	eftService       = "eft"
	debiCheckService = "debicheck"
	refundService    = "refund"
	registeredName   = "registered_mandate" // DebiCheck debits that can be disputed
)

// answers are the forms that a bank can answer in.
var answers = func() (names []string) {
	for form, versions := range map[string][]string{"pain.002": {"03", "10", "11", "12", "13", "14"},
		"camt.052": {"02", "04", "06", "08"}, "camt.053": {"02", "04", "06", "08"}, "camt.054": {"02", "04", "06",
			"08"}} {
		for _, v := range versions {
			names = append(names, form+".001."+v)
		}
	}
	names = append(names, "pain.012.001.05", "pain.012.001.07", "pain.012.001.08", "camt.029.001.10", "MT940", "ACB180")
	slices.Sort(names)
	return names
}()

var (
	identifier  = regexp.MustCompile(`^[A-Za-z0-9-]{1,35}$`)
	code        = regexp.MustCompile(`^[A-Z0-9]{1,5}$`)
	choice      = regexp.MustCompile(`^((Cd:)?[A-Z0-9]{1,4}|Prtry:[A-Za-z0-9 ./-]{1,35})$`)
	ownName     = regexp.MustCompile(`^(Cd:[A-Z0-9]{1,35}|(Prtry:)?[A-Za-z0-9 ._/-]{1,35})$`)
	branch      = regexp.MustCompile(`^[0-9]{6}$`)
	fileLetters = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)
)

// check collects everything in a profile that cannot be meant.
func (p Profile) check(problems *fault.Problems) {
	c := profileCheck{p, problems}
	c.forms()
	c.parties()
	c.services()
	c.elements()
	c.limits()
	c.fileName()
	c.times()
	c.codes()
	c.rules()
	c.unable()
	c.examples()
}

// rules are what the bank has in place of those of the scheme, each with its day and its proof.
func (c profileCheck) rules() {
	if _, err := c.book(); err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			c.bad("rulebook", "%s.", line)
		}
	}
}

type profileCheck struct {
	Profile
	*fault.Problems
}

func (c profileCheck) bad(path, format string, args ...any) { c.Add(path, "invalid", format, args...) }

// oneOf wants one of some words.
func (c profileCheck) oneOf(path, value string, words ...string) {
	if !slices.Contains(words, value) {
		c.bad(path, "%q is not one of %s.", value, strings.Join(words, ", "))
	}
}

func (c profileCheck) forms() {
	c.oneOf("debit_message", c.DebitMessage, iso20022.Forms(exchange.Debits)...)
	c.oneOf("credit_message", c.CreditMessage, append(iso20022.Forms(exchange.Refunds), none)...)
	c.oneOf("mandate_messages", c.MandateMessages, append(iso20022.Forms(exchange.Mandates), none)...)
	c.oneOf("recall_message", c.RecallMessage, append(iso20022.Forms(exchange.Recalls), none)...)
	for _, a := range c.Answers {
		if !slices.Contains(answers, a) {
			c.bad("answers", "%q is not a message that Debitdesk reads.%s", a, fault.DidYouMean(a, answers))
		}
	}
	if !c.answersIn("pain.002") {
		c.bad("answers", "Name the status report (pain.002) by which the bank acknowledges files: without it "+
			"nothing counts as paid.")
	}
	if c.MandateMessages != none && !c.answersIn("pain.012") {
		c.bad("answers", "Name %s: it says whether the client accepted a mandate.", acceptanceOf(c.MandateMessages))
	}
	if c.RecallMessage != none && !c.answersIn("camt.029", "pain.002") {
		c.bad("answers", "Name camt.029.001.10 or a pain.002: one of them answers a recall.")
	}
}

// acceptanceOf is the message that answers mandate requests of a form.
func acceptanceOf(request string) string {
	return strings.Replace(request, "pain.009.", "pain.012.", 1)
}

func (c profileCheck) answersIn(forms ...string) bool {
	return slices.ContainsFunc(c.Answers, func(a string) bool {
		return slices.ContainsFunc(forms, func(f string) bool { return strings.HasPrefix(a, f+".") })
	})
}

func (c profileCheck) parties() {
	if c.Name == "" {
		c.bad("name", "Give the profile a name, such as the bank’s.")
	}
	if id := c.InitiatingParty.ID; id != "" && !identifier.MatchString(id) {
		c.bad("initiating_party.id", "%q has characters other than letters, digits and -, or more than 35.", id)
	}
	if name := c.InitiatingParty.Name; name != "" && !iso20022.Readable(name) {
		c.bad("initiating_party.name", "%q has no letter that the bank can read.", name)
	}
	if c.CreditorBranch != "" && !branch.MatchString(c.CreditorBranch) {
		c.bad("creditor_branch", "%q does not have six digits.", c.CreditorBranch)
	}
}

func (c profileCheck) services() {
	for name, s := range c.Services {
		path := "services." + name
		switch name {
		case eftService, debiCheckService:
			if s.LeadDays == nil || *s.LeadDays < 0 || *s.LeadDays > 60 {
				c.bad(path+".lead_days", "Say how many business days lie between the deadline and the debit date: 0 "+
					"to 60.")
			}
			c.success(path+".success", s.Success)
		case refundService, registeredName:
			if s.LeadDays != nil || s.Success != "" {
				c.bad(path, "This service has no lead_days and no success of its own.")
			}
		case "eft_same_day":
			c.bad(path, "Debitdesk has one EFT service. If yours runs on the same day, give eft a lead_days of 0.")
			continue
		default:
			c.bad(path, "There is no such service.%s",
				fault.DidYouMean(name, []string{eftService, debiCheckService, refundService, registeredName}))
			continue
		}
		for key, value := range map[string]string{"local_instrument": s.LocalInstrument,
			"service_level": s.ServiceLevel} {
			if value != "" && !ownName.MatchString(value) {
				c.bad(path+"."+key, "%q is not a name of at most 35 letters and digits; Cd: before it makes it an "+
					"ISO code.", value)
			}
		}
	}
	_, eft := c.Services[eftService]
	_, debiCheck := c.Services[debiCheckService]
	switch {
	case !eft && !debiCheck:
		c.bad("services", "Name the service by which the bank collects: eft, debicheck or both.")
	case debiCheck && c.MandateMessages == none:
		c.bad("services.debicheck", "DebiCheck needs mandates. Set mandate_messages, or leave this service out.")
	case !debiCheck && c.MandateMessages != none:
		c.bad("mandate_messages", "Mandates are for DebiCheck. Set services.debicheck, or say none here.")
	}
	if c.Success != "" {
		c.oneOf("success", c.Success, ways()...)
	}
}

func ways() []string {
	return []string{string(exchange.BySilence), string(exchange.ByBooking), string(exchange.ByReport)}
}

// success checks how a service is known to have paid. It has no default: it is the choice that can do most harm.
func (c profileCheck) success(path, said string) {
	if said == "" {
		said = c.Success
	}
	switch {
	case said == "":
		c.bad(path, "Say how you know that a debit was paid: silence, booked or reported.")
	case !slices.Contains(ways(), said):
		c.oneOf(path, said, ways()...)
	case said == string(exchange.ByBooking) && !c.answersIn("camt.052", "camt.053", "camt.054"):
		c.bad(path, "To know it from bookings, name a camt.053, camt.054 or camt.052 in answers.")
	case path == "services.debicheck.success" && said == string(exchange.BySilence):
		c.bad(path, "A DebiCheck debit is answered at once, so silence cannot mean that it was paid. Use reported or "+
			"booked.")
	}
}

func (c profileCheck) elements() {
	for path, scheme := range map[string]string{"branch_scheme": c.BranchScheme, "account_scheme": c.AccountScheme} {
		if scheme != none && !code.MatchString(scheme) {
			c.bad(path, "%q is not a code of capitals and digits; write none to leave it out.", scheme)
		}
	}
	for t, word := range c.AccountTypes {
		switch {
		case !slices.Contains(bank.AccountTypes(), t):
			c.bad("account_types."+string(t), "There is no such account type: use CURRENT, SAVINGS and TRANSMISSION.")
		case !choice.MatchString(word):
			c.bad("account_types."+string(t), "%q is not a code of at most four capitals and digits; write Prtry:1 "+
				"for the bank’s own.",
				word)
		}
	}
	if c.CreditorAccountType != none && !choice.MatchString(c.CreditorAccountType) {
		c.bad("creditor_account_type", "%q is not a code of at most four capitals and digits; write none to leave "+
			"it out.",
			c.CreditorAccountType)
	}
	c.oneOf("user_code_at", c.UserCodeAt, "CdtrSchmeId", "InitgPty", "Cdtr", none)
	c.oneOf("abbreviated_name_at", c.AbbreviatedNameAt, "CdtrSchmeId", none)
	c.oneOf("statement_line_at", c.StatementLineAt, "Ustrd", "EndToEndId")
	c.oneOf("end_to_end", c.EndToEnd, "uuid32", "statement_line", "sequence")
	if c.StatementLineAt == "EndToEndId" && c.EndToEnd == "sequence" {
		c.bad("end_to_end", "The end-to-end id cannot be the sequence while statement_line_at puts the statement "+
			"line there.")
	}
	c.oneOf("times", c.Times, "local", "offset")
	c.oneOf("characters", c.Characters, "latin-basic")
	if old := c.oldForm(); c.UETR && old != "" {
		c.bad("uetr", "%s has no UETR. Use a newer version, or false.", old)
	}
	for way, word := range c.Channels {
		switch {
		case way != "DELAYED" && way != "FALLBACK":
			c.bad("authentication_channels."+way, "Only DELAYED and FALLBACK can be asked for by file.")
		case !ownName.MatchString(word):
			c.bad("authentication_channels."+way, "%q is not a name of at most 35 letters and digits.", word)
		}
	}
	for path, reason := range map[string]string{"recall_reason": c.RecallReason,
		"mandate_cancel_reason": c.CancelReason} {
		if !choice.MatchString(reason) {
			c.bad(path, "%q is not a code of at most four capitals and digits; write Prtry:WORD for the bank’s own.",
				reason)
		}
	}
}

func (c profileCheck) oldForm() string {
	for _, form := range []string{c.DebitMessage, c.CreditMessage} {
		if iso20022.Old(form) {
			return form
		}
	}
	return ""
}

func (c profileCheck) limits() {
	between := func(path string, n, least, most int64) {
		if n < least || n > most {
			c.bad(path, "%d is not between %d and %d.", n, least, most)
		}
	}
	between("max_items", int64(c.MaxItems), 1, 1_000_000)
	between("max_file_bytes", c.MaxFileBytes, 100_000, 1_000_000_000)
	between("max_amount_cents", c.MaxAmountCents, 0, 1_000_000_000_000)
	between("name_length", int64(c.NameLength), 10, 140)
	between("ack_within_minutes", int64(c.AckWithinMinutes), 1, 7*24*60)
	between("requests_every_minutes", int64(c.SoonMinutes), 1, 24*60)
	between("acb_reason_at", int64(c.ACBReasonAt), 0, 179)
	between("settle_seconds", int64(c.SettleSeconds), 1, 3600)
}

func (c profileCheck) times() {
	if len(c.Cuts) == 0 {
		c.bad("cuts", "Name at least one time at which files leave.")
	}
	for n, cut := range c.Cuts {
		if n > 0 && !before(c.Cuts[n-1], cut) {
			c.bad("cuts", "%s does not come after %s.", cut, c.Cuts[n-1])
		}
		if !before(cut, c.Deadline) {
			c.bad("cuts", "%s does not lie before the bank’s deadline, %s: what leaves then is late.", cut, c.Deadline)
		}
	}
	if c.Calendar != "ZA" {
		c.bad("calendar", "%q is not a calendar that Debitdesk has: use ZA.", c.Calendar)
	}
}

func before(a, b calendar.TimeOfDay) bool { return a.Hour*60+a.Minute < b.Hour*60+b.Minute }

func (c profileCheck) codes() {
	if c.CodeTable != "" && !slices.Contains(bank.CodeTables(), c.CodeTable) {
		c.bad("code_table", "%q is not a table of return codes: %s.", c.CodeTable, strings.Join(bank.CodeTables(), ", "))
	}
	for path, list := range map[string][]string{"fee_codes": c.FeeCodes, "other_codes": c.OtherCodes} {
		if slices.Contains(list, "") {
			c.bad(path, "A code is empty.")
		}
	}
	c.answersAs()
	for _, theirs := range slices.Sorted(maps.Keys(c.Codes)) {
		if ours := c.Codes[theirs]; theirs == "" {
			c.bad("codes", "A code is empty.")
		} else if _, known := bank.FindCode(ours); !known {
			c.bad("codes."+theirs, "%q is not a return code that Debitdesk has.", ours)
		}
	}
}

// answersAs checks what the bank is said to write.
func (c profileCheck) answersAs() {
	a := c.AnswersAs
	for _, place := range a.IDsAt {
		c.oneOf("answers_as.ids_at", place, exchange.IDPlaces()...)
	}
	for path, list := range map[string][]string{"no_references": a.NoReferences, "debit_codes": a.DebitCodes,
		"return_codes": a.ReturnCodes, "reversal_codes": a.ReversalCodes} {
		if slices.Contains(list, "") {
			c.bad("answers_as."+path, "A text in the list is empty.")
		}
	}
	if len(a.DebitCodes) == 0 && len(a.ReversalCodes) > 0 {
		c.bad("answers_as.debit_codes", "Name the codes of debits, too: reversal_codes alone would leave no debit collected.")
	}
	for path, of := range map[string][3]string{
		"reason_at":  {a.ReasonAt, exchange.ReasonInCode, exchange.ReasonInWords},
		"account":    {a.Account, exchange.AccountAlone, exchange.AccountAfterBranch},
		"fees":       {a.Fees, exchange.FeesInside, exchange.FeesApart},
		"statements": {a.Statements, exchange.OneInFile, exchange.ManyInFile},
		"booking":    {a.Booking, exchange.BookedEach, exchange.BookedInSums},
	} {
		if of[0] != "" {
			c.oneOf("answers_as."+path, of[0], of[1], of[2])
		}
	}
}

// unable refuses what a profile may ask for and nobody has built.
func (c profileCheck) unable() {
	switch c.Sequence {
	case "gapless", "free":
	case "gapless-daily":
		c.bad("sequence", "Numbers run on from day to day and cannot begin again each morning. Use gapless.")
	default:
		c.oneOf("sequence", c.Sequence, "gapless", "free")
	}
	for path, asked := range map[string]bool{"zip": c.Zip, "openpgp": c.OpenPGP,
		"checksum_file": c.ChecksumFile != ""} {
		if asked {
			c.bad(path, "Debitdesk does not do this yet. Let the program that carries the files do it, and leave "+
				"the key out.")
		}
	}
	if c.FinalAfterDays != 0 {
		c.bad("final_after_days", "Debitdesk counts these days itself. Leave the key out.")
	}
}
