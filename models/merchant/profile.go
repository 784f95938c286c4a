package merchant

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// ProfileInput is one registration at the bank as people type it.
type ProfileInput struct {
	ProfileCode, AbbreviatedName, AccountNumber, BranchCode string
}

var (
	codeForm = regexp.MustCompile(`^[A-Z0-9]{1,10}$`)
	nameForm = regexp.MustCompile(`^[A-Z0-9 &.-]{1,10}$`) // industry: what bank statements carry
)

func (in ProfileInput) checked() (ProfileInput, error) {
	in.ProfileCode = strings.ToUpper(strings.TrimSpace(in.ProfileCode))
	in.AbbreviatedName = strings.ToUpper(strings.Join(strings.Fields(in.AbbreviatedName), " "))
	in.BranchCode = strings.ReplaceAll(in.BranchCode, " ", "")
	number := bank.CleanAccount(in.AccountNumber)
	in.AccountNumber = number.Reveal()
	var wrong fault.Problems
	if !codeForm.MatchString(in.ProfileCode) {
		wrong.Add("profile_code", "invalid", "A profile code has 1 to 10 letters and digits; your bank gave it to you.")
	}
	if !nameForm.MatchString(in.AbbreviatedName) {
		wrong.Add("abbreviated_name", "invalid", "An abbreviated name has 1 to 10 letters, digits, spaces, &, . and -.")
	}
	for _, p := range bank.ValidateAccount(in.BranchCode, number, bank.Current).Problems {
		field := "account_number"
		if p.Field == bank.FieldBranch {
			field = "branch_code"
		}
		wrong.Add(field, p.Code, "%s", p.Message)
	}
	return in, wrong.Err()
}

// AddProfile registers another profile of a brand; the first one is the default.
func (s *Service) AddProfile(ctx context.Context, who actor.Actor, brandID uuid.UUID,
	in ProfileInput) (p Profile, err error) {
	if err := who.May(actor.Manage); err != nil {
		return p, err
	}
	if err := s.Alone(ctx, who); err != nil {
		return p, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		p, err = s.AddProfileIn(tx, who, brandID, in)
		return err
	})
	return p, err
}

// AddProfileIn is AddProfile in the transaction of a decision.
func (s *Service) AddProfileIn(tx *database.Tx, who actor.Actor, brandID uuid.UUID, in ProfileInput) (p Profile,
	err error) {
	in, wrong := in.checked()
	b, err := LockBrand(tx, who.MerchantID, brandID)
	if err != nil {
		return p, err
	}
	if wrong != nil {
		return p, wrong
	}
	if err := claim(tx, who.MerchantID, bank.AccountNumber(in.AccountNumber)); err != nil {
		return p, err
	}
	p = Profile{ID: tx.NewID(), ProfileCode: in.ProfileCode, AbbreviatedName: in.AbbreviatedName,
		AccountNumber: in.AccountNumber, BranchCode: in.BranchCode,
		IsDefault: len(b.Profiles) == 0}
	if err := insertProfile(tx, who.MerchantID, brandID, p); err != nil {
		return p, err
	}
	tx.Audit(who, profileEntry("profile.added", "Debit-order profile "+p.Called()+" of "+b.Name+" was added.", p, nil,
		p.facts()))
	return p, nil
}

// Alone: where the business wants a second person for settings that direct money, nobody changes one alone in the
// dashboard. Programs are held to their scopes.
func (s *Service) Alone(ctx context.Context, who actor.Actor) error {
	if who.Kind != actor.User {
		return nil
	}
	d, err := s.Store.Demands(ctx, who.MerchantID)
	if err == nil && d.Settings {
		err = fault.New(fault.Conflict, "approval_needed",
			"Your business requires a second approver to change a setting that directs money.")
	}
	return err
}

// DefaultTo makes a profile the one that is used when a request names none.
func (s *Service) DefaultTo(ctx context.Context, who actor.Actor, brandID, profileID uuid.UUID) (p Profile, err error) {
	if err := who.May(actor.Manage); err != nil {
		return p, err
	}
	if err := s.Alone(ctx, who); err != nil {
		return p, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		p, err = s.DefaultToIn(tx, who, brandID, profileID)
		return err
	})
	return p, err
}

// DefaultToIn is DefaultTo in the transaction of a decision.
func (s *Service) DefaultToIn(tx *database.Tx, who actor.Actor, brandID, profileID uuid.UUID) (Profile, error) {
	b, p, err := lockProfile(tx, who.MerchantID, brandID, profileID)
	if err != nil || p.IsDefault {
		return p, err
	}
	was, _ := b.DefaultProfile()
	setDefaultProfile(tx, who.MerchantID, brandID, profileID)
	tx.Audit(who, profileEntry("profile.default", "Debit-order profile "+p.Called()+" is the default of "+b.Name+".", p,
		map[string]any{"default": was.Called()}, map[string]any{"default": p.Called()}))
	return p, nil
}

// RemoveProfile takes a profile away that no live mandate was given for. A default
// can go only when it is the last.
func (s *Service) RemoveProfile(ctx context.Context, who actor.Actor, brandID,
	profileID uuid.UUID) (p Profile, err error) {
	if err := who.May(actor.Manage); err != nil {
		return p, err
	}
	if err := s.Alone(ctx, who); err != nil {
		return p, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		p, err = s.RemoveProfileIn(tx, who, brandID, profileID)
		return err
	})
	return p, err
}

// RemoveProfileIn is RemoveProfile in the transaction of a decision.
func (s *Service) RemoveProfileIn(tx *database.Tx, who actor.Actor, brandID, profileID uuid.UUID) (Profile, error) {
	b, p, err := lockProfile(tx, who.MerchantID, brandID, profileID)
	if err != nil {
		return p, err
	}
	n, err := s.Store.ProfileUse(tx.Context(), who.MerchantID, brandID, p)
	switch {
	case err != nil:
		return p, err
	case n > 0:
		return p, fault.New(fault.Conflict, "profile_in_use", "%s", InUse(n))
	case p.IsDefault && len(b.Profiles) > 1:
		return p, fault.New(fault.Conflict, "profile_is_default",
			"This is the default. Make another profile the default first.")
	}
	deleteProfile(tx, who.MerchantID, brandID, profileID)
	tx.Audit(who, profileEntry("profile.removed", "Debit-order profile "+p.Called()+" of "+b.Name+" was removed.",
		p, p.facts(), nil))
	return p, nil
}

// LiveMandates says how many there are, as far as ProfileUse counted them.
func LiveMandates(n int64) string {
	if n > MostUses {
		return "more than " + plural.Of(MostUses, "live mandate")
	}
	return plural.Of(n, "live mandate")
}

// InUse says why a profile cannot go while n live mandates were given for it.
func InUse(n int64) string {
	text := LiveMandates(n) + " " + plural.Was(n) + " given for this profile: " +
		plural.Pick(n, "its", "their") + " debits name it to the bank."
	return strings.ToUpper(text[:1]) + text[1:]
}

func lockProfile(tx *database.Tx, merchantID, brandID, profileID uuid.UUID) (Brand, Profile, error) {
	b, err := LockBrand(tx, merchantID, brandID)
	if err != nil {
		return b, Profile{}, err
	}
	i := slices.IndexFunc(b.Profiles, func(p Profile) bool { return p.ID == profileID })
	if i < 0 {
		return b, Profile{}, fault.Missing()
	}
	return b, b.Profiles[i], nil
}

// Called is the code and the name: "TEST1 · TESTMERCH1".
func (p Profile) Called() string { return p.ProfileCode + " · " + p.AbbreviatedName }

// InWords names a registration with its masked account: "TEST1 · TESTMERCH1, account •••• 5678 at FNB".
func (p Profile) InWords() string {
	return p.Called() + ", account " + bank.AccountNumber(p.AccountNumber).String() + " at " +
		cmp.Or(bank.BankName(p.BranchCode), "branch "+p.BranchCode)
}

// facts are what the audit keeps; the account is the merchant's own, and masked all the same.
func (p Profile) facts() map[string]any {
	return map[string]any{"profile_code": p.ProfileCode, "abbreviated_name": p.AbbreviatedName,
		"account": bank.AccountNumber(p.AccountNumber).String(), "branch_code": p.BranchCode}
}

func profileEntry(action, text string, p Profile, was, is map[string]any) audit.Entry {
	return audit.Entry{Action: action, ObjectType: "profile", ObjectID: p.ID, Text: text, Before: was, After: is}
}
