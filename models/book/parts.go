package book

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// details are those of the client as they will be: what the file says, over what is there. An empty cell changes
// nothing, and a single hyphen clears.
func (k *known) details(p *plan) {
	v, before := p.values.Details, p.client.Details
	d := before
	for _, f := range append(slices.Clone(mainDetails), moreDetails...) {
		said := *f.at(&v)
		if slices.Contains(p.values.Cleared, f.field) {
			*f.at(&d) = ""
		} else if said != "" && !strings.EqualFold(said, *f.at(&d)) {
			*f.at(&d) = said
		}
		if was, is := *f.at(&before), *f.at(&d); was != is {
			p.change(f.field.Label(), was, is)
		}
	}
	for _, f := range []struct {
		field Field
		said  []string
		at    *[]string
	}{{Copies, v.CC, &d.CC}, {HiddenCopies, v.BCC, &d.BCC}, {Tags, v.Tags, &d.Tags}} {
		was := strings.Join(*f.at, ", ")
		if slices.Contains(p.values.Cleared, f.field) {
			*f.at = nil
		} else if len(f.said) > 0 {
			*f.at = f.said
		}
		if is := strings.Join(*f.at, ", "); was != is {
			p.change(f.field.Label(), was, is)
		}
	}
	if id := v.PersonalCode; id != "" && bank.CleanID(before.PersonalCode.Reveal()).Reveal() != id.Reveal() {
		d.PersonalCode = id
		p.change(Identity.Label(), before.PersonalCode.String(), id.String())
	}
	if v.BankAccount != "" && (before.BankAccount.Key() != v.BankAccount.Key() || before.BankCode != v.BankCode) {
		d.BankAccount, d.BankCode, d.AccountType = v.BankAccount, v.BankCode, v.AccountType
		p.change("Bank account", named(before.BankCode, before.BankAccount), named(v.BankCode, v.BankAccount))
	}
	if d.FullName == "" {
		d.FullName = cmp.Or(before.FullName, p.values.Reference)
	}
	for _, wrong := range d.Check(client.AsRecord, k.today) {
		cause, f := CauseLength, Field(wrong.Leaf())
		if wrong.Code == "required" {
			cause, f = CauseReach, Email
		}
		if !slices.ContainsFunc(p.findings, func(one Finding) bool { return one.Level == Problem }) {
			p.say(Problem, f, cause, "%s", strings.TrimSuffix(wrong.Message, "."))
		}
	}
	p.details = d
}

var mainDetails = []detail{{FullName, 128, func(d *client.Details) *string { return &d.FullName }},
	{Email, 254, func(d *client.Details) *string { return &d.Email }},
	{Phone, 32, func(d *client.Details) *string { return &d.Phone }},
	{Street, 128, func(d *client.Details) *string { return &d.StreetAddress }},
	{City, 128, func(d *client.Details) *string { return &d.City }},
	{PostCode, 32, func(d *client.Details) *string { return &d.ZipCode }}}

func named(code string, number bank.AccountNumber) string {
	if number == "" {
		return ""
	}
	return strings.TrimSpace(cmp.Or(bank.BankName(code), code) + " " + number.String())
}

// account says whether the row brings an account that is not stored yet.
func (k *known) account(p *plan) {
	v := p.values
	if !v.debitable() {
		return
	}
	hash := k.hashOf(v.Details.BankCode, v.Details.BankAccount)
	for _, stored := range k.accounts[p.client.ID] {
		if p.client.ID != uuid.Nil && string(stored.hash) == string(hash) {
			p.token, p.mandate = stored.id, stored.mandate
			return
		}
	}
	if v.AccountOf > 0 {
		p.accountOf = v.AccountOf
		return
	}
	if _, registered := k.brand.DefaultProfile(); !registered {
		p.say(Problem, Account, CauseProfile, "the brand %s has no debit-order profile, so nothing can be debited for it. "+
			"Add one under Settings, Brands", k.brand.Name)
		return
	}
	p.makes = true
	p.change("Token", "", named(v.Details.BankCode, v.Details.BankAccount)+", "+mandateWords(v))
}

func mandateWords(v Values) string {
	if v.SignedOn.IsZero() {
		return "mandate vouched for"
	}
	return "mandate signed on " + v.SignedOn.Format(dayForm)
}

// evidence says which scans are kept with the mandate of the row.
func (k *known) evidence(p *plan, row Row) {
	if k.scans == nil {
		return
	}
	sent := k.scans[row.N]
	switch {
	case len(sent) == 0 && p.makes:
		p.say(Note, "", CauseNoScan, "no scan was sent for the mandate")
	case len(sent) > 0 && !p.makes && p.mandate == uuid.Nil:
		p.say(Warning, "", CauseScanUnused, "a scan was sent, and the row brings no account: it is not kept")
	default:
		for _, s := range sent {
			if !slices.Contains(k.proven[p.mandate], string(s.SHA256)) {
				p.scans = append(p.scans, s)
				p.change("Scan of the mandate", "", s.Name)
			}
		}
	}
}

// subscription says which subscription the row makes.
func (k *known) subscription(p *plan, row Row) {
	v := p.values
	if !v.wantsSubscription() {
		return
	}
	if !p.makes && p.token == uuid.Nil && p.accountOf == 0 {
		if stored := k.accounts[p.client.ID]; p.client.ID != uuid.Nil && len(stored) > 0 && v.Details.BankAccount == "" {
			p.token, p.mandate = stored[0].id, stored[0].mandate
		} else {
			p.say(Warning, Amount, CauseNoAmount, "no subscription is made: there is no account to debit")
			return
		}
	}
	s := k.templateFor(v)
	if s.cents == 0 {
		if k.chose(row, CauseNoAmount) != choiceDrop {
			p.say(Problem, Amount, CauseNoAmount, "the subscription “%s” has no amount, and no template of that name tells it",
				s.title)
		}
		return
	}
	for _, there := range k.running[p.client.ID] {
		if p.client.ID != uuid.Nil && there.template == s.template.ID && s.template.ID != uuid.Nil {
			if there.cents != s.cents {
				p.say(Warning, Amount, CauseNoAmount, "the client has this subscription at %s already; its amount is not changed",
					money.Format(there.cents, money.ZAR))
			}
			return
		}
	}
	plan := s.plan()
	var held string
	if s.due, held = k.guard.First(v, plan); held != "" && k.chose(row, CauseGuard) != choiceSafe {
		p.say(Hold, NextDebit, CauseGuard, "%s", held)
	}
	if v.Day > 28 || v.Day > 0 && v.Day <= plan.DuePeriod && plan.DueUnits == subscription.Days {
		p.say(Note, DebitDay, CauseShortMonths, "the subscription is billed %d days before it is due, so in short months "+
			"its "+
			"debit runs up to three days later", plan.DuePeriod)
	}
	p.subscribe = &s
	p.change("Subscription", "", s.words())
}

// settled looks at what is left: the reference, and numbers that cannot be read.
func (k *known) settled(p *plan) {
	if ref := p.values.Reference; ref != "" && !k.source.OnlyJoins {
		if of, taken := k.byReference[ref]; !taken {
			p.refer = ref
			p.change(Reference.Label(), k.referenceOf[p.client.ID], ref)
		} else if of != p.client.ID {
			p.say(Problem, Reference, CauseTaken, "another client has this reference")
		}
	}
	if p.client.Any() {
		p.damaged()
	}
}

func (p *plan) damaged() {
	p.say(Problem, "", CauseDamaged, "a stored number of this client cannot be read. Enter it again on the client’s page")
}

// contract is the reference of a new mandate: that of the old system where it fits and was never used, so that clients
// find the same on their statements; else the next of the brand.
func (k *known) contract(v Values, next int64) string {
	for _, old := range []string{v.OldMandate, v.Reference} {
		if old = strings.ToUpper(old); purchase.FitsContract(old) && !k.contracts[old] {
			k.contracts[old] = true
			return old
		}
	}
	return purchase.ContractOf(k.brand, next)
}

// oldReference is what the old system called the mandate.
func (v Values) oldReference() string { return cmp.Or(v.OldMandate, v.Reference) }

func (v Values) holder() string {
	return cmp.Or(v.Holder, v.Details.FullName, v.Details.Email)
}

// noteText is what goes into a note on a client.
func (p *plan) noteText(i Import) string {
	if p.values.Notes == "" {
		return ""
	}
	return fmt.Sprintf("From the import %s: %s", i.Name, p.values.Notes)
}
