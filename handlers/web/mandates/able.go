package mandates

import (
	"time"

	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

// What a bank connection cannot do is said in the forms before anybody sends them. The sentences are the rules' own.

// usualMethod is how a new mandate is given unless somebody chooses.
func usualMethod(p *purchase.Service) string {
	if p.Bank.NoDebiCheck() != "" {
		return purchase.EFT
	}
	return purchase.DebiCheck
}

// usualAsking is how the client is asked now unless somebody chooses.
func usualAsking(p *purchase.Service, now time.Time) mandate.Method {
	if !p.Window.Open(now) {
		return mandate.Delayed
	}
	return p.AsksBy()
}

// orWhyNot is a choice that says why it is not one.
func orWhyNot(card components.RadioCard, why string) components.RadioCard {
	if why != "" {
		card.Disabled, card.Text = true, why
	}
	return card
}

// verifyBox is the tick that has the account checked first.
func verifyBox(p *purchase.Service, box components.Checkbox) components.Checkbox {
	if why := p.NoVerification(); why != "" {
		box.Disabled, box.Checked, box.Hint = true, false, why
	}
	return box
}
