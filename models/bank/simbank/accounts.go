package simbank

import (
	"time"

	"debitdesk/models/calendar"
)

// behaviour is what becomes of a debit.
type behaviour int

const (
	pays          behaviour = iota
	returns                 // returned with the code, each time
	returnsFirst            // returned the first time, paid after that
	tracksAndPays           // DebiCheck: the money arrives on day 3 of tracking; EFT as returnsFirst
	tracksInVain            // DebiCheck: no money arrives in tracking; EFT as returns
	returnsLate             // EFT: returned on the last day of the return window; DebiCheck: paid
	disputes                // paid, and disputed on day 10
	disputesLate            // paid, and disputed on day 41
	reportsTwice            // paid, and reported twice where single debits are reported
	keepsSilent             // nothing is ever said about it
	stopsMandate            // EFT: paid; DebiCheck: refused, the payer has stopped the mandate
	unknown                 // refused at once: no such account
)

type rule struct {
	does behaviour
	code string // the native two-digit code
}

// accounts maps the last four digits of the payer's account to what becomes of a debit; all
// others pay. The table is the sandbox's, copied on purpose: this bank shares no code with
// the product. One thing differs: a bank that takes files refuses an account that does not
// exist (7001) at once, in its first status report.
//
//	7001 no such account, refused at once   9302 in tracking in vain; EFT 02   9030 … 9036 disputed on day 10
//	7002 closed, 12                         9102 02 the first time, then paid  9430 disputed on day 41
//	7004 debits not allowed, 03             9202 in tracking, paid on day 3;   9500 returned 02 on the last day
//	8600 DebiCheck: stopped, 04                  EFT as 9102                   9900 reported twice
//	8700 02                                 9003 … 9056 that code              9901 never answered
//	9002 02
var accounts = map[string]rule{
	"7001": {unknown, "26"},
	"7002": {returns, "12"},
	"7004": {returns, "03"},
	"8600": {stopsMandate, "04"},
	"8700": {returns, "02"},
	"9002": {returns, "02"},
	"9302": {tracksInVain, "02"},
	"9102": {returnsFirst, "02"},
	"9202": {tracksAndPays, "02"},
	"9003": {returns, "03"},
	"9004": {returns, "04"},
	"9005": {returns, "05"},
	"9006": {returns, "06"},
	"9008": {returns, "08"},
	"9010": {returns, "10"},
	"9012": {returns, "12"},
	"9016": {returns, "16"},
	"9018": {returns, "18"},
	"9022": {returns, "22"},
	"9026": {returns, "26"},
	"9056": {returns, "56"},
	"9030": {disputes, "30"},
	"9032": {disputes, "32"},
	"9034": {disputes, "34"},
	"9036": {disputes, "36"},
	"9430": {disputesLate, "30"},
	"9500": {returnsLate, "02"},
	"9900": {reportsTwice, ""},
	"9901": {keepsSilent, ""},
}

// wholeNumbers are accounts that count as a whole; they win over the last four digits.
var wholeNumbers = map[string]rule{
	"110000001": {pays, ""},
	"110000002": {returns, "02"},
	"210000001": {disputes, "30"},
}

// noRefund are the endings of accounts that take no refund, with the native code.
var noRefund = map[string]string{"7002": "12", "9012": "12", "9026": "26"}

func ruleOf(account string) rule {
	if r, found := wholeNumbers[account]; found {
		return r
	}
	return accounts[tail(account)]
}

func tail(account string) string {
	if _, whole := wholeNumbers[account]; whole || len(account) < 4 {
		return ""
	}
	return account[len(account)-4:]
}

// The bank's times, in South Africa. Days of disputes are calendar days, those of returns business days.
const (
	disputeDay     = 10
	lateDisputeDay = 41
	lastReturnDay  = 4
	trackedPayDay  = 3
	mostTracking   = 10
)

var (
	mornings = calendar.TimeOfDay{Hour: 6}  // returns, statements, answers to DebiCheck debits
	booking  = calendar.TimeOfDay{Hour: 17} // when EFT debits are booked on their day
)

// When payers answer a mandate request.
const (
	bankAfter    = 5 * time.Second // the bank itself refuses
	promptAfter  = 5 * time.Second
	promptLate   = 119 * time.Second
	promptLimit  = 120 * time.Second
	delayedAfter = time.Hour
	delayedLate  = 47 * time.Hour
	delayedLimit = 48 * time.Hour
)
