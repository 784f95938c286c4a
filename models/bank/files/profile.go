package files

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
	"debitdesk/models/rulebook"
)

// Profile is how one bank wants its files: the content of profile.json.
type Profile struct {
	Name            string   `json:"name"`
	DebitMessage    string   `json:"debit_message"`    // form of debits
	CreditMessage   string   `json:"credit_message"`   // form of refunds, or none
	MandateMessages string   `json:"mandate_messages"` // form of mandate requests, or none; with it come cancellations
	RecallMessage   string   `json:"recall_message"`   // form of recalls of single debits, or none
	Answers         []string `json:"answers"`          // forms in which the bank answers

	InitiatingParty struct {
		Name string `json:"name"` // who sends; empty: the merchant
		ID   string `json:"id"`
	} `json:"initiating_party"`
	Partner        string `json:"partner"`         // for file names
	CreditorBranch string `json:"creditor_branch"` // of merchants whose debit profile names no branch

	BranchScheme        string                      `json:"branch_scheme"`  // code of branch numbers, or none
	AccountScheme       string                      `json:"account_scheme"` // code of account numbers, or none
	AccountTypes        map[bank.AccountType]string `json:"account_types"`
	CreditorAccountType string                      `json:"creditor_account_type"` // or none

	Services          map[string]Service `json:"services"` // eft, debicheck, registered_mandate, refund
	UserCodeAt        string             `json:"user_code_at"`
	AbbreviatedNameAt string             `json:"abbreviated_name_at"`
	StatementLineAt   string             `json:"statement_line_at"`
	EndToEnd          string             `json:"end_to_end"`
	UETR              bool               `json:"uetr"`
	BatchBooking      bool               `json:"batch_booking"`
	Times             string             `json:"times"` // local, or offset
	Characters        string             `json:"characters"`
	NameLength        int                `json:"name_length"`
	Channels          map[string]string  `json:"authentication_channels"`
	RecallReason      string             `json:"recall_reason"`
	CancelReason      string             `json:"mandate_cancel_reason"`

	MaxItems       int   `json:"max_items"`        // in one file
	MaxFileBytes   int64 `json:"max_file_bytes"`   // of a file, either way
	MaxAmountCents int64 `json:"max_amount_cents"` // of one item; 0: no limit

	FileName     string                   `json:"file_name"`
	FileServices map[exchange.Kind]string `json:"file_services"` // what {service} stands for
	Sequence     string                   `json:"sequence"`
	Cuts         []calendar.TimeOfDay     `json:"cuts"`
	Deadline     calendar.TimeOfDay       `json:"deadline"`
	SoonMinutes  int                      `json:"requests_every_minutes"` // requests, cancellations and recalls
	Calendar     string                   `json:"calendar"`

	AckWithinMinutes int                `json:"ack_within_minutes"`
	FinalAfterDays   int                `json:"final_after_days"`
	Codes            map[string]string  `json:"codes"`         // the bank's codes to ours
	CodeTable        string             `json:"code_table"`    // of return codes; empty: the clearing house's
	ACBReasonAt      int                `json:"acb_reason_at"` // where a tape of returns has its reason; 0: it is found
	FeeCodes         []string           `json:"fee_codes"`     // of movements that are the bank's fees
	OtherCodes       []string           `json:"other_codes"`   // of movements that are none of ours
	AnswersAs        AnswersAs          `json:"answers_as"`    // how the bank writes what it answers
	Success          string             `json:"success"`       // of services that do not say
	SilenceAt        calendar.TimeOfDay `json:"silence_provisional_at"`
	SettleSeconds    int                `json:"settle_seconds"` // how long a file in the inbox must not change

	Zip          bool   `json:"zip"`
	OpenPGP      bool   `json:"openpgp"`
	ChecksumFile string `json:"checksum_file"`

	Rulebook struct {
		Provider string             `json:"provider"` // whose readings hold where sources disagree
		Rows     []rulebook.Instead `json:"rows"`     // what the bank has in place of the scheme's rules
	} `json:"rulebook"`
}

// Service is what a bank calls one service, and how it runs.
type Service struct {
	LocalInstrument string `json:"local_instrument"`
	ServiceLevel    string `json:"service_level"`
	LeadDays        *int   `json:"lead_days"`
	Success         string `json:"success"`
}

// AnswersAs is how a bank says that it writes its answers. What is left out is tried in every way.
type AnswersAs struct {
	IDsAt         []string `json:"ids_at"`
	NoReferences  []string `json:"no_references"`
	DebitCodes    []string `json:"debit_codes"`
	ReturnCodes   []string `json:"return_codes"`
	ReversalCodes []string `json:"reversal_codes"`
	ReasonAt      string   `json:"reason_at"`
	Account       string   `json:"account"`
	Fees          string   `json:"fees"`
	Statements    string   `json:"statements"`
	Booking       string   `json:"booking"`
}

// none is how a profile says that something is not there.
const none = "none"

// ProfileName is the name of the profile in the directory.
const ProfileName = "profile.json"

//go:embed profiles/*.json
var shipped embed.FS

// Shipped lists the profiles that come with the product.
func Shipped() []string { return []string{"generic", "simulator"} }

// ShippedProfile is the content of one of them, as a person would write it.
func ShippedProfile(name string) ([]byte, error) {
	content, err := shipped.ReadFile("profiles/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("there is no shipped profile %q: use %s", name, strings.Join(Shipped(), " or "))
	}
	return content, nil
}

// mostProfileBytes is far more than any profile needs.
const mostProfileBytes = 1 << 20

// ReadProfile reads the profile of a directory. All problems come in one fault.
func ReadProfile(dir string) (Profile, error) {
	path := filepath.Join(dir, ProfileName)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Profile{}, fmt.Errorf("%s is missing. It says how your bank wants its files. Start from one that "+
			"comes with "+
			"Debitdesk: debitdesk bank check %s --init generic", path, dir)
	case err != nil:
		return Profile{}, fmt.Errorf("read the bank's profile: %w", err)
	case !info.Mode().IsRegular() || info.Size() > mostProfileBytes:
		return Profile{}, fmt.Errorf("%s is not a file of at most 1 MB", path)
	}
	content, err := os.ReadFile(path) //nolint:gosec // the operator names the directory
	if err != nil {
		return Profile{}, fmt.Errorf("read the bank's profile: %w", err)
	}
	return ParseProfile(content)
}

// InitProfile writes a shipped profile into a directory that has none.
func InitProfile(dir, name string) (path string, err error) {
	content, err := ShippedProfile(name)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the directory of the bank: %w", err)
	}
	path = filepath.Join(dir, ProfileName)
	const fresh = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	f, err := os.OpenFile(path, fresh, 0o600) //nolint:gosec // the operator names the directory
	switch {
	case errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("%s is there already; it was left as it is", path)
	case err != nil:
		return "", fmt.Errorf("write the bank's profile: %w", err)
	}
	_, err = f.Write(content)
	return path, errors.Join(err, f.Sync(), f.Close())
}
