package bank

import "strings"

// Reason codes of mandates that rules name (industry: ISO subset used in South Africa).
const (
	CodeNoAnswer        = "NOAS" // no answer from the customer
	CodeRefused         = "MS02" // the customer gave no reason
	CodeAccountClosed   = "AC04"
	CodeSevenFailures   = "MSUC" // seven unsuccessful collections in a row
	CodeDebtorCancelled = "CTCA" // contract cancellation initiated by the debtor
	CodeFraud           = "MD21" // on suspicion of fraud
	CodeOnceOffDone     = "MCOC" // once-off collection done
	CodeSystemError     = "EERR" // ours: the bank's system failed

	codeTooMuch = "AM02" // more than the payer's bank allows; of debits it is about our agreement with the bank
)

// MandateCode is a reason about a mandate, with what helps.
type MandateCode struct {
	Code    string
	Meaning string // plain words: "Declined by the client"
	Remedy  string // what helps now, one sentence
}

// Label is the meaning with the code behind it: "Declined by the payer (MS02)".
func (c MandateCode) Label() string { return c.Meaning + " (" + c.Code + ")" }

var mandateCodes = []MandateCode{
	{CodeNoAnswer, "No answer from the client",
		"Send the request again when the client has the phone at hand, or use the delayed kind."},
	{CodeRefused, "Declined by the client", "Speak to the client before asking again."},
	{"MD16", "Declined at the client’s request", "Speak to the client before asking again."},
	{"MS03", "Declined by the client’s bank", "Ask the client to speak to the bank."},
	{"AC01", "Wrong account number", "Check the account number and branch with the client."},
	{CodeAccountClosed, "Account closed", "Ask the client for an account in use."},
	{"AC06", "Account blocked", "Ask the client for an account in use."},
	{"AG01", "Account does not allow debits", "Ask the client for an account that allows debit orders."},
	{codeTooMuch, "Amount not allowed", "Ask for a lower maximum amount."},
	{"BE01", "Details do not match the account holder", "Check the name and the identity number with the client."},
	{"BE06", "Account holder not known", "Check the name and the identity number with the client."},
	{"MD07", "Account holder deceased", "Send no automatic messages; contact the family or the executor with care."},
	{"AM05", "The request was a repeat", "Look for the first request; if there is none, send a new one."},
	{"DT01", "A date in the request is wrong", "Check the dates of the mandate, then send the request again."},
	{"RC01", "Wrong branch code", "Check the branch code with the client."},
	{"MD08", "The bank offers no such mandates", "Ask the client for an account at another bank."},
	{"MD09", "The account takes no such mandates", "Ask the client for another account."},
	{"MD10", "The account takes no mandates of this business", "Ask the client to speak to the bank."},
	{"MD11", "The bank could not be found", "Check the branch code with the client, then send the request again."},
	{"MD12", "The reference of the mandate is in use already", "Send a new request."},
	{"MD13", "Something was wrong with the confirmation", "Send the request again."},
	{"MD17", "Cancelled by the business", "Set up a new mandate for more."},
	{"MD20", "Mandate expired", "Set up a new mandate."},
	{CodeFraud, "Stopped on suspicion of fraud", "Speak to the client and to your bank before asking again."},
	{CodeSystemError, "The bank’s system failed", "Send the request again in a few minutes."},
	{CodeSevenFailures, "Suspended after seven failed debits in a row",
		"Agree on a day when there is money, and set up a new mandate."},
	{CodeDebtorCancelled, "Cancelled by the client", "Speak to the client; collecting again needs a new mandate."},
	{"MCFC", "Final collection done", "Set up a new mandate for more."},
	{"MCOC", "Once-off collection done", "Set up a new mandate for more."},
	{"CTEX", "Contract expired", "Set up a new mandate."},
	{"CTAM", "Contract amended", "Use the mandate that replaced it."},
	{"MASC", "Account not in a state for collections", "Ask the client to speak to the bank."},
	{"MADO", "No collection for a long time", "Set up a new mandate."},
}

// MandateCodes lists every known code.
func MandateCodes() []MandateCode { return append([]MandateCode(nil), mandateCodes...) }

// MandateCodeOf gives the row of a code; an unknown one says so in words.
func MandateCodeOf(code string) MandateCode {
	for _, c := range mandateCodes {
		if c.Code == code {
			return c
		}
	}
	if code == CodeUnable {
		return unableToAsk
	}
	return MandateCode{code, "The bank gave a reason that is not in our list", "Ask the bank what the code means."}
}

// channels are ISO's authentication channels in the words of the API. MOBI says the phone, not whether by app or USSD.
var channels = map[string]string{"ATMA": "atm", "CARD": "point_of_sale", "INBA": "internet_banking",
	"MOBI": "cellphone_banking"}

// ChannelOf says where the payer answered, in our words. A bank's own name of a channel stays, in small letters.
func ChannelOf(code string) string {
	if channel, known := channels[strings.ToUpper(code)]; known {
		return channel
	}
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(code)), " ", "_")
}
