package simbank

// reason is a code of the external ISO lists with what the bank writes beside it.
type reason struct {
	Code string `json:"code"`          // ISO
	Own  bool   `json:"own,omitempty"` // the code is the bank's own
	Text string `json:"text"`
}

// native are the two-digit codes of South African banks with their ISO twins. Where ISO has
// none the bank writes its own code.
var native = map[string]reason{
	"02": {Code: "AM04", Text: "NOT PROVIDED FOR"},
	"03": {Code: "AG01", Text: "DEBITS NOT ALLOWED TO THIS ACCOUNT"},
	"04": {Code: "SP01", Text: "PAYMENT STOPPED BY ACCOUNT HOLDER"},
	"05": {Code: "AC06", Text: "ACCOUNT DORMANT"},
	"06": {Code: "AC06", Text: "ACCOUNT FROZEN"},
	"08": {Code: "AC16", Text: "ACCOUNT IN SEQUESTRATION"},
	"10": {Code: "AC17", Text: "ACCOUNT IN LIQUIDATION"},
	"12": {Code: "AC04", Text: "ACCOUNT CLOSED"},
	"16": {Code: "AC15", Text: "ACCOUNT TRANSFERRED TO ANOTHER BANK"},
	"18": {Code: "MD07", Text: "ACCOUNT HOLDER DECEASED"},
	"22": {Code: "22", Own: true, Text: "EFFECTS NOT CLEARED"},
	"26": {Code: "AC01", Text: "NO SUCH ACCOUNT"},
	"28": {Code: "FOCR", Text: "RECALLED"},
	"30": {Code: "MD01", Text: "NO AUTHORITY TO DEBIT"},
	"32": {Code: "MD05", Text: "DEBIT IN CONTRAVENTION OF PAYERS AUTHORITY"},
	"34": {Code: "CN01", Text: "AUTHORISATION CANCELLED"},
	"36": {Code: "SP02", Text: "PREVIOUSLY STOPPED VIA STOP PAYMENT ADVICE"},
	"56": {Code: "NOCM", Text: "NOT FICA COMPLIANT"},
}

// returned is the reason for a native code, which stands in its text too.
func returned(code string) reason {
	r, known := native[code]
	if !known {
		return reason{Code: code, Own: true, Text: code}
	}
	r.Text = code + " " + r.Text
	return r
}

// Why a message, a group or an item is refused.
var (
	duplicateMessage = reason{Code: "DU01", Text: "message identification is not unique"}
	duplicateGroup   = reason{Code: "DU02", Text: "payment information identification is not unique"}
	duplicateItem    = reason{Code: "AM05", Text: "instruction identification is not unique"}
	wrongCount       = reason{Code: "AM18", Text: "number of transactions is wrong"}
	wrongSum         = reason{Code: "AM10", Text: "control sum is wrong"}
	noOriginal       = reason{Code: "NOOR", Text: "no original message received"}
	badFormat        = reason{Code: "FF01", Text: "message cannot be read"}
	noCreditor       = reason{Code: "AC03", Text: "creditor account is missing"}
	badDate          = reason{Code: "DT01", Text: "date is missing"}
	badBranch        = reason{Code: "RC01", Text: "branch has not six digits"}
	badAccount       = reason{Code: "AC01", Text: "account number has not 5 to 13 digits"}
	badCurrency      = reason{Code: "AM03", Text: "currency is not ZAR"}
	badAmount        = reason{Code: "AM12", Text: "amount is not positive"}
	noIdentity       = reason{Code: "BE08", Own: true, Text: "identification is missing"}
	onRequest        = reason{Code: "NARR", Text: "refused by the simulated bank, as it was told"}
)
