package book

import "strings"

// The causes by which findings are grouped.
const (
	CauseScientific   = "scientific"
	CauseBranchZero   = "branch_zero"
	CauseIDZero       = "id_zero"
	CauseAccountZeros = "account_zeros"
	CauseBank         = "bank_unknown"
	CauseBankDiffers  = "bank_differs"
	CauseBranchName   = "branch_name"
	CauseOldBranch    = "branch_old"
	CauseAccount      = "account_form"
	CauseAbroad       = "account_abroad"
	CauseType         = "account_type"
	CauseIdentity     = "id_form"
	CausePhone        = "phone_form"
	CausePhones       = "phones_two"
	CauseEmail        = "email_form"
	CauseStray        = "email_stray"
	CausePlaceholder  = "placeholder"
	CauseDateOrder    = "date_order"
	CauseDate         = "date_form"
	CauseDecimalMark  = "decimal_mark"
	CauseAmount       = "amount_form"
	CauseDay          = "day_form"
	CauseDay31        = "day_31"
	CauseCycle        = "cycle_form"
	CauseUndated      = "mandate_undated"
	CauseFuture       = "mandate_future"
	CauseFailures     = "failures"
	CauseNoAmount     = "no_amount"
	CauseTwice        = "twice_in_file"
	CauseShared       = "shared_account"
	CauseSharedID     = "shared_identity"
	CauseAmbiguous    = "ambiguous_client"
	CauseUnknownID    = "client_id_unknown"
	CauseOtherName    = "other_name"
	CauseReach        = "no_way_to_reach"
	CauseName         = "no_name"
	CauseLength       = "length"
	CauseLine         = "one_line"
	CauseQuotes       = "quotes"
	CauseCells        = "cell_count"
	CauseEncoding     = "encoding"
	CauseHidden       = "hidden"
	CauseDamaged      = "damaged"
	CauseTotals       = "totals_line"
	CauseMasked       = "masked"
	CauseGuard        = "double_debit"
	CauseInactive     = "inactive"
	CauseChanged      = "changed_since"
	CauseTaken        = "reference_taken"
	CauseProfile      = "no_profile"
	CauseShortMonths  = "short_months"
	CauseLeftOut      = "left_out"
	CauseAside        = "not_a_client"
	CauseUnfit        = "source_line"
	CauseCard         = "card"
	CauseTypeDigits   = "type_digits"
	CauseMandateOpen  = "mandate_not_accepted"
	CauseMandateNew   = "mandate_changed"
	CauseMandateOver  = "mandate_over"
	CauseNoPartner    = "no_partner"
	CauseConfirm      = "confirm_again"
	CausePlanned      = "planned_debit"
	CauseNoScan       = "no_scan"
	CauseScanUnused   = "scan_unused"
	CauseScanDamaged  = "scan_damaged"
	CauseFirstRow     = "first_row"
	CauseRemaining    = "remaining"
	CauseOwed         = "owed"
	CauseCredit       = "credit"
)

// causeTitles are the causes for a person.
var causeTitles = map[string]string{
	CauseNoScan:       "Mandates without a scan",
	CauseScanUnused:   "Scans for rows without an account",
	CauseScanDamaged:  "Scans that cannot be read",
	CauseFirstRow:     "Rows whose client does not come in",
	CauseRemaining:    "How many debits are still to come?",
	CauseOwed:         "Amounts owed that cannot be taken over",
	CauseCredit:       "Credits of clients",
	CauseScientific:   "Digits lost in scientific notation",
	CauseBranchZero:   "Branch codes whose first zero was lost",
	CauseIDZero:       "ID numbers whose first zero was lost",
	CauseAccountZeros: "Account numbers that are too short for their bank",
	CauseBank:         "Which bank is it?",
	CauseBankDiffers:  "The bank and the branch code do not match",
	CauseBranchName:   "A branch by its name",
	CauseOldBranch:    "Old branch codes",
	CauseAccount:      "Account numbers that a bank would refuse",
	CauseAbroad:       "Accounts outside South Africa",
	CauseType:         "Which type of account is it?",
	CauseIdentity:     "ID numbers that are wrong",
	CausePhone:        "Not a valid phone number",
	CausePhones:       "Two phone numbers in one cell",
	CauseEmail:        "Not a valid e-mail address",
	CauseStray:        "Blanks and stray characters in e-mail addresses",
	CausePlaceholder:  "Placeholders that several clients share",
	CauseDateOrder:    "Day and month could be either way round",
	CauseDate:         "Not a valid date",
	CauseDecimalMark:  "Thousands or decimals?",
	CauseAmount:       "Not a valid amount",
	CauseDay:          "Not a debit day",
	CauseDay31:        "Debit day 31",
	CauseCycle:        "How often is it debited?",
	CauseUndated:      "Mandates without the day on which they were signed",
	CauseFuture:       "Mandates that were signed in the future",
	CauseFailures:     "Two or more debits in a row failed",
	CauseNoAmount:     "A subscription without an amount",
	CauseTwice:        "The same client twice in the file",
	CauseShared:       "One account pays for several clients",
	CauseSharedID:     "One ID number for several clients",
	CauseAmbiguous:    "Which client is it?",
	CauseUnknownID:    "No client has this id",
	CauseOtherName:    "The same client under another name?",
	CauseReach:        "No e-mail address and no bank account",
	CauseName:         "No name",
	CauseLength:       "Too long",
	CauseLine:         "More than one line",
	CauseQuotes:       "Unbalanced quotation marks",
	CauseCells:        "Too few or too many cells",
	CauseEncoding:     "Characters that could not be read",
	CauseHidden:       "Hidden in the spreadsheet",
	CauseDamaged:      "Rows that can no longer be read",
	CauseTotals:       "A line of totals",
	CauseMasked:       "Masked numbers",
	CauseGuard:        "Might be debited twice",
	CauseInactive:     "Not active at the old system",
	CauseChanged:      "Changed since the rehearsal",
	CauseTaken:        "References that are in use already",
	CauseProfile:      "The brand has no debit-order profile",
	CauseShortMonths:  "Debit days at the end of the month",
	CauseLeftOut:      "Left out",
	CauseAside:        "Lines that are not clients",
	CauseUnfit:        "Values that the layout does not allow",
	CauseCard:         "Debited by card at the old system",
	CauseTypeDigits:   "What do the digits of the account types mean?",
	CauseMandateOpen:  "Mandates that were not accepted",
	CauseMandateNew:   "Mandates that were changed at the old system",
	CauseMandateOver:  "Mandates that were declined, failed or have expired",
	CauseNoPartner:    "No client to join the row to",
	CauseConfirm:      "DebiCheck mandates to be confirmed again",
	CausePlanned:      "Debits that the old system was told to make",
}

// TitleOf is a cause for a person.
func TitleOf(cause string) string { return causeTitles[cause] }

// Fix is one way to put right every row of a cause, or one row.
type Fix struct {
	Cause, Choice string
	Label         string // the button, for a person
}

// choices that several causes share.
const (
	choiceDrop    = "drop"
	choiceYes     = "yes"
	choiceDay     = "dmy"
	choiceMonth   = "mdy"
	choiceComma   = "comma"
	choicePoint   = "point"
	choiceBank    = "bank"
	choiceCode    = "code"
	choiceLast    = "last"
	choiceThirty  = "30"
	choiceVouch   = "vouch"
	choiceNoDebit = "no_mandate"
	choiceSafe    = "safe"
	choiceNew     = "new"
	choiceSame    = "same"
	choiceSkip    = "skip"
	choiceSwapped = "swapped"
	choiceMore    = "more"
)

var fixes = map[string][]Fix{
	CauseAccountZeros: {{Choice: choiceYes, Label: "Put the zeros back in front"},
		{Choice: choiceNoDebit, Label: "Bring these clients in without an account"}},
	CauseBank:        {{Choice: choiceNoDebit, Label: "Bring these clients in without an account"}},
	CauseBankDiffers: {{Choice: choiceBank, Label: "The bank is right"}, {Choice: choiceCode, Label: "The code is right"}},
	CauseAccount:     {{Choice: choiceNoDebit, Label: "Bring these clients in without an account"}},
	CauseAbroad:      {{Choice: choiceNoDebit, Label: "Bring these clients in without an account"}},
	CauseScientific:  {{Choice: choiceDrop, Label: "Bring these clients in without the number"}},
	CauseMasked:      {{Choice: choiceDrop, Label: "Bring these clients in without the number"}},
	CauseType:        {{Choice: choiceYes, Label: "These are current accounts"}},
	CauseIdentity:    {{Choice: choiceDrop, Label: "Leave these ID numbers out"}},
	CausePhone:       {{Choice: choiceDrop, Label: "Leave these phone numbers out"}},
	CauseEmail:       {{Choice: choiceDrop, Label: "Leave these addresses out"}},
	CauseStray: {{Choice: choiceYes, Label: "Remove blanks and stray characters"},
		{Choice: choiceDrop, Label: "Leave these addresses out"}},
	CausePlaceholder: {{Choice: choiceDrop, Label: "Leave these values out"}},
	CauseDateOrder: {{Choice: choiceDay, Label: "The day comes first (3/4/2026 is 3 April)"},
		{Choice: choiceMonth, Label: "The month comes first (3/4/2026 is 4 March)"}},
	CauseDate: {{Choice: choiceDrop, Label: "Leave these dates out"}},
	CauseDecimalMark: {{Choice: choiceComma, Label: "A comma comes before decimals (1.234 is R 1 234)"},
		{Choice: choicePoint, Label: "A point comes before decimals (1,234 is R 1 234)"}},
	CauseDay31: {{Choice: choiceLast, Label: "Debit on the last day of the month"},
		{Choice: choiceThirty, Label: "Debit on the 30th"}},
	CauseCycle: {{Choice: choiceYes, Label: "These are debited monthly"}},
	CauseUndated: {{Choice: choiceVouch, Label: "We hold these mandates and can show them"},
		{Choice: choiceNoDebit, Label: "Bring these clients in without a mandate"}},
	CauseFuture:   {{Choice: choiceNoDebit, Label: "Bring these clients in without a mandate"}},
	CauseNoAmount: {{Choice: choiceDrop, Label: "Bring these clients in without a subscription"}},
	CauseTwice: {{Choice: choiceMore, Label: "Add the accounts and subscriptions of the later rows to the client"},
		{Choice: choiceSkip, Label: "Leave the later rows out"}},
	CauseRemaining: {{Choice: choiceDrop, Label: "These subscriptions have no end"}},
	CauseOwed:      {{Choice: choiceDrop, Label: "Bring these clients in without what they owe"}},
	CauseOtherName: {{Choice: choiceSame, Label: "It is the same client: update it"},
		{Choice: choiceNew, Label: "They are different people: add a client"}},
	CauseHidden: {{Choice: choiceYes, Label: "Bring the hidden rows in, too"},
		{Choice: choiceSkip, Label: "Leave the hidden rows out"}},
	CauseGuard: {{Choice: choiceSafe, Label: "Debit on the first safe day"}},
	CauseTaken: {{Choice: choiceDrop, Label: "Bring these clients in without the reference"}},
	CauseCells: {{Choice: choiceYes, Label: "Leave out extra cells, and take missing cells as empty"}},
	CauseLine:  {{Choice: choiceYes, Label: "Put the text on one line"}},
	CauseTypeDigits: {{Choice: choiceYes, Label: "1 is current, 2 is savings"},
		{Choice: choiceSwapped, Label: "1 is savings, 2 is current"}},
	CauseMandateOpen: {{Choice: choiceNoDebit, Label: "Bring these clients in without a mandate"}},
	CauseMandateNew: {{Choice: choiceVouch, Label: "The client agreed to the change, and we can show it"},
		{Choice: choiceNoDebit, Label: "Bring these clients in without a mandate"}},
}

// FixesOf gives the ways to put a cause right; none where only a person can tell.
func FixesOf(cause string) []Fix {
	out := make([]Fix, len(fixes[cause]))
	for i, m := range fixes[cause] {
		m.Cause = cause
		out[i] = m
	}
	return out
}

// isFix tells whether a choice is one that a cause has.
func isFix(cause, choice string) bool {
	for _, m := range fixes[cause] {
		if m.Choice == choice {
			return true
		}
	}
	return false
}

// fixDone says in words what a fix did.
func fixDone(cause, choice string) string {
	for _, m := range fixes[cause] {
		if m.Choice == choice {
			return causeTitles[cause] + ": " + strings.ToLower(m.Label[:1]) + m.Label[1:] + "."
		}
	}
	return causeTitles[cause] + "."
}
