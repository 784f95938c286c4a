package purchase

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
)

// Input is a purchase as it was asked for. Problems holds what was already wrong
// with its shape (a text where a number belongs), so that all is reported at once.
type Input struct {
	Problems fault.Problems

	ClientID    uuid.UUID
	Client      *client.Details // the client's details themselves; exactly one of the two
	BrandID     uuid.UUID
	Due         *time.Time
	DueStrict   bool
	Issued      calendar.Date
	Currency    string
	Reference   string
	Product     string
	Details     Details
	DirectDebit *DirectDebitInput
	Options     Options
	UserID      uuid.UUID // the dashboard user who asks; zero for programs

	forMany bool                  // a pattern for many clients, who are named elsewhere
	Revise  func(*client.Details) `json:"-"` // what this purchase knows otherwise than the client's record
}

// DirectDebitInput is a debit-order block as it was asked for; what was left out
// is empty. Ask is the DebiCheck fields, and MandateFields names those that were
// given.
type DirectDebitInput struct {
	ProfileCode, AbbreviatedName, AccountNumber string
	DeductionDay                                *int
	PeriodUnits                                 string
	MandateFields                               []string
	Ask                                         *mandate.Ask // the mandate fields themselves
}

// The family's card and bank methods are known names that Debitdesk does not offer.
var familyMethods = []string{"visa", "mastercard", "maestro", "instant_eft", "ozow", "capitec_pay", "masterpass",
	"payshap"}

// LastDue is the last moment at which a purchase can be due, in Unix seconds: the end of the year 2099.
const LastDue = 4102444800 - 1

const (
	maxProducts      = 1000
	maxRedirect      = 500
	maxTags          = 50
	maxMetadata      = 16 << 10 // bytes: it is copied to each purchase of up to 10 000 clients, and stands in every list
	clientMissing    = "purchase_client_or_id_required"
	subtotalNegative = "product_subtotal_negative"
	subtotalMessage  = "Discount can't be larger than price * quantity!"
)

var (
	cancelRedirectForbids = "<>'\""
	clientDetails         = []string{"email", "phone", "full_name", "personal_code", "brand_name", "legal_name",
		"registration_number",
		"tax_number", "bank_account", "bank_code", "billing_address", "shipping_address",
		// the older form lists single fields
		"street_address", "city", "zip_code", "country", "state", "shipping_street_address", "shipping_city",
		"shipping_zip_code", "shipping_country", "shipping_state"}
	languageForm  = regexp.MustCompile(`^[a-z]{2}$`)
	maxQuantity   = decimal.New(1, 9)
	hundredTax    = decimal.NewFromInt(100)
	zeroAmount    = "A total of 0 needs force_recurring or skip_capture, to store an account without collecting."
	wantsExactly1 = "With a direct_debit block this must be exactly [\"eft\"] or [\"debicheck\"]."
)

// settle merges what the rules found with what was wrong with the shape already:
// a value that could not be read is reported once, by who could not read it.
func (in *Input) settle(shape fault.Problems) error {
	found := in.Problems
	in.Problems = shape
	for _, f := range found {
		if f.Code == clientMissing && unread(shape, "client", "client_id") {
			continue // there is one, which could not be read
		}
		if line, subtotal := strings.CutSuffix(f.Path, "."+fault.All); subtotal && f.Code == subtotalNegative &&
			unread(slices.Concat(shape, found), line+".price", line+".quantity", line+".discount") {
			continue // one of its numbers is wrong, which is said there
		}
		if !covered(shape, f.Path) {
			in.Problems = append(in.Problems, f)
		}
	}
	return in.Problems.Err()
}

// unread tells whether what stands at one of these places, or below, could not be read.
func unread(shape fault.Problems, places ...string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		return slices.ContainsFunc(shape, func(f fault.Field) bool {
			return f.Path == place || strings.HasPrefix(f.Path, place+".") || strings.HasPrefix(f.Path, place+"[")
		})
	})
}

// covered tells whether a problem stands at that place or around it.
func covered(shape fault.Problems, path string) bool {
	return slices.ContainsFunc(shape, func(f fault.Field) bool {
		return f.Path == path || strings.HasPrefix(path, f.Path+".") || strings.HasPrefix(path, f.Path+"[") ||
			strings.HasPrefix(f.Path, path+"[")
	})
}
