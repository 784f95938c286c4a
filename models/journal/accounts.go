package journal

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Role is what an account is for. Its text is the column of the journal.
type Role string

// The roles.
const (
	Debtors       Role = "ar"
	Transit       Role = "clr"
	Bank          Role = "bank"
	Revenue       Role = "rev"
	OutputVAT     Role = "vato"
	VATNotDue     Role = "vatd"
	Fees          Role = "fee"
	RefundsDue    Role = "refp"
	Unallocated   Role = "unap"
	BadDebts      Role = "bad"
	Recovered     Role = "rec"
	TakenOver     Role = "open"
	InputVAT      Role = "vati"
	HeldBack      Role = "ret"
	roleCount          = 14
	longestCode        = 10 // Xero's limit
	longestName        = 100
	longestTax         = 50
	accountsField      = "accounts"
)

// Roles are all roles in the order of their amounts.
var Roles = []Role{Debtors, Transit, Bank, Revenue, OutputVAT, VATNotDue, Fees, RefundsDue, Unallocated, BadDebts,
	Recovered, TakenOver, InputVAT, HeldBack}

func (r Role) place() int { return slices.Index(Roles, r) }

// Used are the roles that people map, in their order.
var Used = []Role{Debtors, Transit, Bank, Revenue, OutputVAT, VATNotDue, RefundsDue, Unallocated, BadDebts, Recovered,
	Fees, InputVAT, HeldBack}

// Account is one account of the merchant's package.
type Account struct{ Code, Name string }

// preset are the accounts of a merchant who chose none, and what is posted to a role.
var preset = map[Role]struct {
	Account
	group, word, what string
}{
	Debtors: {Account{"8100000", "Debtors"}, "Assets", "Debtors",
		"what clients owe by invoices, less what was credited and paid"},
	Transit: {Account{"8450000", "Collections in transit"}, "Assets", "Collections in transit",
		"what debit orders brought, less returns, disputes, refunds by the bank, payouts and fees"},
	Bank: {Account{"8400000", "Bank"}, "Assets", "Bank",
		"what was marked as paid, refunds that you paid yourself, payouts, and fees that the bank took"},
	Revenue: {Account{"1000000", "Sales"}, "Income", "Revenue",
		"invoices less credit notes, without VAT"},
	OutputVAT: {Account{"9500000", "Output VAT"}, "Liabilities", "Output VAT",
		"the VAT of invoices less that of credit notes"},
	VATNotDue: {Account{"9510000", "VAT not yet due"}, "Liabilities", "VAT not yet due",
		"on payments basis: the VAT of what clients still owe"},
	Fees: {Account{"3200000", "Collection fees"}, "Expenses", "Fees",
		"fees of your provider and bank, without VAT"},
	InputVAT: {Account{"9520000", "Input VAT"}, "Assets", "Input VAT", "the VAT of fees"},
	HeldBack: {Account{"8460000", "Held back by the provider"}, "Assets", "Held back",
		"what your provider kept of payouts, and has not released"},
	RefundsDue: {Account{"9250000", "Refunds payable"}, "Liabilities", "Refunds payable",
		"refunds that are owed and not paid out"},
	Unallocated: {Account{"9260000", "Unallocated receipts"}, "Liabilities", "Unallocated receipts",
		"money that no invoice asks for: purchases without one, and what was paid twice"},
	BadDebts: {Account{"3100000", "Bad debts"}, "Expenses", "Bad debts",
		"what was written off, without VAT"},
	Recovered: {Account{"2750000", "Bad debts recovered"}, "Income", "Bad debts recovered",
		"what came in after a write-off, without VAT"},
	TakenOver: {Account{"5300000", "Opening balances"}, "Equity", "Opening balances", ""},
}

// Word is what people call the role.
func (r Role) Word() string { return preset[r].word }

// What says what is posted to it.
func (r Role) What() string { return preset[r].what }

// Group is Assets, Liabilities, Income, Expenses or Equity.
func (r Role) Group() string { return preset[r].group }

// place of an account: a role, of one brand or of all.
type place struct {
	Role  Role
	Brand uuid.UUID
}

// Accounts are the accounts that a merchant chose.
type Accounts map[place]Account

// Of is the account of a role: that of the brand where it has one of its own.
func (a Accounts) Of(r Role, brand uuid.UUID) Account {
	if own, has := a[place{r, brand}]; has {
		return own
	}
	if all, has := a[place{r, uuid.Nil}]; has {
		return all
	}
	return preset[r].Account
}

// EveryBrand stands for all brands.
var EveryBrand = uuid.Nil

// Set chooses an account for a role, of one brand or of every brand.
func (a Accounts) Set(r Role, brand uuid.UUID, account Account) { a[place{r, brand}] = account }

// Own is the account that was chosen for one brand; false where that of all brands holds.
func (a Accounts) Own(r Role, brand uuid.UUID) (Account, bool) {
	own, has := a[place{r, brand}]
	return own, has
}

// Settings are what files need to know of the merchant's package.
type Settings struct {
	MerchantID uuid.UUID `gorm:"primaryKey"`
	YearStarts int       // the month in which the financial year begins
	TaxRate    string    // what the package calls a line without tax
	SalesTax   string    // and one of a sale at the standard rate
}

// Mapping is what a merchant chose for the files.
type Mapping struct {
	Settings
	Accounts Accounts
}

// Chosen is one row of the form of accounts; of revenue also by brand.
type Chosen struct {
	Role       Role
	BrandID    uuid.UUID
	Code, Name string // both empty, of a brand: the account of all brands
}

var codeForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z/.-]*$`)

// Map gives the accounts of a merchant.
func (s *Service) Map(ctx context.Context, who actor.Actor) (Mapping, error) {
	if err := who.May(actor.Read); err != nil {
		return Mapping{}, err
	}
	return s.Store.mapping(ctx, who.MerchantID)
}

// Choose sets the accounts and what else the files go by. It tells all problems at once, each with its field:
// code-clr, name-rev-BRAND.
func (s *Service) Choose(ctx context.Context, who actor.Actor, set Settings, chosen []Chosen) error {
	if err := who.May(actor.Books); err != nil {
		return err
	}
	wrong, names := checkSettings(set), map[string]Account{}
	for i, c := range chosen {
		c.Code, c.Name = strings.TrimSpace(c.Code), strings.TrimSpace(c.Name)
		chosen[i] = c
		if c.BrandID != uuid.Nil && c.Code == "" && c.Name == "" {
			continue
		}
		checkAccount(&wrong, c, names)
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		before, err := Store{tx.DB()}.mapping(tx.Context(), who.MerchantID)
		if err != nil {
			return err
		}
		set.MerchantID = who.MerchantID
		if err := keepMapping(tx, set, chosen); err != nil {
			return err
		}
		after := Mapping{Settings: set, Accounts: Accounts{}}
		for _, c := range chosen {
			if c.Code != "" {
				after.Accounts.Set(c.Role, c.BrandID, Account{c.Code, c.Name})
			}
		}
		tx.Audit(who, audit.Entry{Action: "books.mapped", ObjectType: "books", ObjectID: who.MerchantID,
			Text: "The accounts of the books were changed.", Before: before.told(), After: after.told()})
		return nil
	})
}

func (m Mapping) told() map[string]any {
	accounts := map[string]string{}
	for _, r := range Used {
		a := m.Accounts.Of(r, uuid.Nil)
		accounts[string(r)] = a.Code + " " + a.Name
	}
	for at, a := range m.Accounts {
		if at.Brand != uuid.Nil {
			accounts[string(at.Role)+" of brand "+at.Brand.String()] = a.Code + " " + a.Name
		}
	}
	return map[string]any{accountsField: accounts, "year_starts": m.YearStarts, "tax_rate": m.TaxRate,
		"sales_tax": m.SalesTax}
}

func checkSettings(set Settings) (wrong fault.Problems) {
	if set.YearStarts < 1 || set.YearStarts > 12 {
		wrong.Add("year_starts", "invalid", "Choose the month in which your financial year begins.")
	}
	for name, rate := range map[string]string{"tax_rate": set.TaxRate, "sales_tax": set.SalesTax} {
		if rate == "" || utf8.RuneCountInString(rate) > longestTax || !plain(rate) {
			wrong.Add(name, "invalid", "Enter the name of a tax rate, of at most %d characters.", longestTax)
		}
	}
	return wrong
}

// checkAccount finds what is wrong with one account. Files tell accounts apart by code or by name, so that two roles
// with one name must be one account.
func checkAccount(wrong *fault.Problems, c Chosen, names map[string]Account) {
	at := "-" + string(c.Role)
	if c.BrandID != uuid.Nil {
		at += "-" + c.BrandID.String()
	}
	switch {
	case c.Code == "":
		wrong.Add("code"+at, "required", "Enter the code of the account, such as 8450000.")
	case len(c.Code) > longestCode || !codeForm.MatchString(c.Code):
		wrong.Add("code"+at, "invalid",
			"%q is not an account code. Use up to %d letters and digits, such as 8450000.", c.Code, longestCode)
	}
	switch {
	case c.Name == "" || utf8.RuneCountInString(c.Name) > longestName:
		wrong.Add("name"+at, "invalid", "Enter the name of the account, of at most %d characters.", longestName)
	case !plain(c.Name) || strings.ContainsAny(c.Name, `;"`):
		wrong.Add("name"+at, "invalid",
			"Begin the name of the account with a letter, and leave out semicolons and double quotes.")
	}
	if was, taken := names[strings.ToLower(c.Name)]; taken && was.Code != c.Code {
		wrong.Add("name"+at, "unique", "The account %s has this name already. Give each account a name of its own.", was.Code)
	}
	names[strings.ToLower(c.Name)] = Account{c.Code, c.Name}
}

// plain tells of a text that it begins with a letter or digit, so that no program takes it for a formula, and has no
// signs that break lines.
func plain(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return (unicode.IsLetter(first) || unicode.IsDigit(first)) && !strings.ContainsFunc(text, unicode.IsControl)
}
