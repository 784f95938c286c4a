// Package mytext holds every text of the client's own page and of the mails about it, so that a catalogue of
// translations can take them over from one place. It must not know what is true, only how it is said.
package mytext

import (
	"fmt"

	"debitdesk/models/calendar"
	"debitdesk/models/clientpage"
	"debitdesk/models/money"
)

// Forms of days.
const (
	DayForm  = "2 January 2006"
	LongForm = "Monday 2 January 2006"
)

// Texts that need no value.
const (
	PageTitle  = "My page"
	DoorTitle  = "Your page"
	DoorText   = "See what you owe, what is planned and what you paid, and change what you need to."
	DoorButton = "Open my page"
	DoorNote   = "The page closes after 30 minutes. Until the link expires, you can open it again."
	OverTitle  = "This page is closed"
	OverText   = "Your visit is over, or the link was ended. Nothing was changed. " +
		"Open the link in your mail again, or ask for a new one."
	LinkGone    = "This link does not work"
	LinkUnknown = "The link may be incomplete. Open it again from the mail that you received, " +
		"or ask the business for a new one."
	NewLink = "Get a new link"

	AskTitle = "Get a link to your page"
	AskText  = "Enter the e-mail address or the phone number that you gave us. " +
		"The link is sent to the e-mail address that we have on file."
	AskLabel   = "E-mail address or phone number"
	AskButton  = "Send me my link"
	AskMissing = "Enter your e-mail address or your phone number."
	AskSent    = "Check your mail"
	AskSentSay = "If we know this address or number, a link is on its way to the e-mail address on file. " +
		"It works for 24 hours."

	Owe          = "What you owe"
	OweNothing   = "You owe nothing at the moment."
	OweTotal     = "In total"
	Due          = "To be paid by"
	Planned      = "What is planned"
	PlannedNone  = "Nothing is planned."
	PaidTitle    = "What you paid"
	PaidNone     = "Nothing was paid in the last 13 months."
	Receipt      = "Receipt"
	InvoicePDF   = "Invoice"
	PayTitle     = "Pay now"
	PayText      = "Pay by EFT from your bank, and use the reference so that the payment is found."
	PayNoAccount = "Ask the business how to pay: it has no bank account on record here."
	Mandates     = "Your permissions to debit"
	MandatesNone = "You have not given a permission to debit an account."
	MandateRead  = "Read what you agreed to"
	MandatePDF   = "Agreement as PDF"
	Subs         = "Your subscriptions"
	SubsNone     = "You have no subscriptions."
	MoreTitle    = "Something else"
	Close        = "Close my page"
	MoreOwed     = "Only the oldest are shown; the total counts all of them. Ask the business about the others."
	Older        = "Only the newest are shown. Ask the business about older ones."
	Back         = "Back to my page"
	Continue     = "Continue"
	Accessible   = "Accessibility"

	CodeTitle  = "Enter the code"
	CodeLabel  = "Code of six digits"
	CodeButton = "Confirm"
	CodeHint   = "Nothing changes before you enter it. It works for 10 minutes."
	DoneTitle  = "Done"
	DoneMail   = "A mail confirms it."
	GiveNew    = "Give the new account"

	DayLabel     = "Day"
	PromiseHint  = "Choose a day when you can be sure. The business sees it and waits until then."
	DetailsLabel = "What should be corrected?"
	DetailsHint  = "Write how it should read. Leave out identity and account numbers."
	PrivacyLabel = "What do you ask for?"
	PrivacyText  = "More about it"
)

// Acts as the links and buttons of the page name them.
var Acts = map[clientpage.Kind]string{
	clientpage.Promise: "Say when I will pay", clientpage.Invoice: "Send me the invoice again",
	clientpage.Day: "Move this debit", clientpage.Stop: "Stop this subscription",
	clientpage.Pause: "Pause this subscription", clientpage.Account: "Use another bank account",
	clientpage.Details: "Correct my details", clientpage.Privacy: "My personal data",
}

// AsksFor are the same where staff decide.
var AsksFor = map[clientpage.Kind]string{
	clientpage.Day: "Ask for another debit day", clientpage.Stop: "Ask to stop this subscription",
	clientpage.Pause: "Ask to pause this subscription", clientpage.Account: "Ask to use another bank account",
}

// Act names an act.
func Act(k clientpage.Kind, asks bool) string {
	if name, named := AsksFor[k]; asks && named {
		return name
	}
	return Acts[k]
}

// Rights are what a privacy request can ask for.
var Rights = map[clientpage.RequestKind]string{
	clientpage.Objection: "I object to the use of my personal data",
	clientpage.Deletion:  "I ask you to delete my personal data",
	clientpage.Access:    "I ask for a copy of my personal data",
}

// Explain says what an act does, before anything is asked.
func Explain(k clientpage.Kind, brand string) []string {
	switch k {
	case clientpage.Promise:
		return []string{"You tell " + brand + " on which day you will pay. Nothing is debited because of it."}
	case clientpage.Invoice:
		return []string{"The invoice is sent to the e-mail address that we have on file."}
	case clientpage.Day:
		return []string{"This one debit runs on the day that you choose. Later debits stay as they are. " +
			"A debit can be moved once."}
	case clientpage.Stop:
		return []string{"You will not be billed for any further payments.", "What was billed before is still owed.",
			"To begin again, ask " + brand + "."}
	case clientpage.Pause:
		return []string{"Nothing is billed until you ask " + brand + " to go on.",
			"What is not billed until then is not billed later."}
	case clientpage.Account:
		return []string{"You give the new account on the next page and agree to its debits.",
			"The old account stays in use until the new one works and " + brand + " has taken it over."}
	case clientpage.Details:
		return []string{brand + " looks at what you write, and answers within 30 days."}
	case clientpage.Privacy:
		return []string{"The law (POPIA) gives you these rights, free of charge. " + brand + " answers within 30 days.",
			"The law also makes " + brand + " keep mandates and invoices for some years. What may not be deleted yet is locked."}
	}
	return nil
}

// Asking says that staff decide.
func Asking(brand string) string {
	return brand + " looks at it and answers you. Nothing changes before that."
}

// Doing says in one sentence what is confirmed by a code: "You want to …".
func Doing(a clientpage.Act) string {
	w := a.Wish
	if a.Wish.Asks {
		switch a.Kind {
		case clientpage.Day:
			return fmt.Sprintf("You ask to move the debit for %s from %s to %s.", w.Named, Day(w.Was), Day(w.Day))
		case clientpage.Stop:
			return "You ask to stop the subscription “" + w.Named + "”."
		case clientpage.Pause:
			return "You ask to pause the subscription “" + w.Named + "”."
		case clientpage.Account:
			return "You ask to use another bank account in the place of " + w.Named + "."
		default: // requests in words of their own
		}
	}
	switch a.Kind {
	case clientpage.Promise:
		return fmt.Sprintf("You say that you will pay %s for %s on %s.", money.Format(w.Cents, money.ZAR), w.Named,
			Day(w.Day))
	case clientpage.Invoice:
		return "You ask for the invoice " + w.Named + " again."
	case clientpage.Day:
		return fmt.Sprintf("You move the debit for %s from %s to %s.", w.Named, Day(w.Was), Day(w.Day))
	case clientpage.Stop:
		return "You stop the subscription “" + w.Named + "”."
	case clientpage.Pause:
		return "You pause the subscription “" + w.Named + "”."
	case clientpage.Account:
		return "You want to use another bank account in the place of " + w.Named + "."
	case clientpage.Details:
		return "You ask to have your details corrected."
	case clientpage.Privacy:
		return Rights[w.Request] + "."
	}
	return ""
}

// Did says what came of an act.
func Did(a clientpage.Act, brand string) []string {
	w := a.Wish
	if a.Wish.Asks {
		said := []string{Doing(a), brand + " has your request and answers you."}
		if w.Request != "" {
			said[1] = brand + " has your request and answers within 30 days."
		}
		return said
	}
	switch a.Kind {
	case clientpage.Promise:
		return []string{fmt.Sprintf("You said that you will pay %s for %s on %s.", money.Format(w.Cents, money.ZAR), w.Named,
			Day(w.Day)), "If you cannot pay on that day, tell " + brand + " before it."}
	case clientpage.Invoice:
		return []string{"The invoice " + w.Named + " was sent again."}
	case clientpage.Day:
		return []string{fmt.Sprintf("The debit for %s now runs on %s, not on %s.", w.Named, Day(w.Day), Day(w.Was)),
			"Please make sure that the money is in the account on that day. Later debits stay as they are."}
	case clientpage.Stop:
		return []string{"The subscription “" + w.Named + "” is stopped. Nothing more is billed."}
	case clientpage.Pause:
		return []string{"The subscription “" + w.Named + "” is paused. To go on, ask " + brand + "."}
	case clientpage.Account:
		return []string{"You can give the new account now. The old one, " + w.Named +
			", stays in use until the new one works."}
	default: // requests, told above
	}
	return nil
}

// Day writes a day.
func Day(d calendar.Date) string { return d.Format(DayForm) }

// CodeText says where the code went.
func CodeText(masked string) string {
	return "A code is on its way to " + masked + ", the address that we have on file."
}

// Until says when the page closes.
func Until(at string) string {
	return "This page closes at " + at + ". You can open your link again until it expires."
}

// Expired says what became of a link.
func Expired(brand string) string {
	return "Links to your page work for 24 hours and can be ended before. Ask " + brand + " for a new one here."
}

// More texts of the page.
const (
	PayTo        = "Pay to"
	PayBank      = "Bank and branch"
	PayAccount   = "Account number"
	PayReference = "Your reference and the amount"
	WithBank     = "Your bank has this debit already; it cannot be changed any longer."
	ChooseDay    = "Choose a day"
	NotNow       = "This is not possible now"

	MandateTitle     = "What you agreed to"
	MandateReference = "Reference"
	MandateHolder    = "Account holder"
	MandateAccount   = "Account"
	MandateStands    = "Status"
	MandateGiven     = "Given on"
	MandateWords     = "The wording"
)

// Part says what of a purchase was paid or credited.
func Part(part, total string) string { return part + " of " + total + " was paid or credited." }

// Promised says that there is a promise.
func Promised(d calendar.Date) string { return "You said that you will pay on " + Day(d) + "." }

// Failed says that a debit was not paid, and why.
func Failed(d calendar.Date, why string) string {
	return "The debit of " + Day(d) + " was not paid: " + why + "."
}

// See names the link to the page of a purchase.
func See(reference string) string { return "See " + reference }

// PDF names the link to a file.
func PDF(what, reference string) string { return what + " " + reference + " (PDF)" }

// DebitOn says when a debit runs.
func DebitOn(d calendar.Date) string { return "Debit on " + d.Format(LongForm) }

// DebitFor says why, and from which account.
func DebitFor(what, account string) string {
	if account == "" {
		return "For " + what + "."
	}
	return "For " + what + ", from your account " + account + "."
}

// MoveBefore says until when a debit can be moved.
func MoveBefore(at string) string { return "It can be changed until " + at + "." }

// BillOn says when a subscription bills next.
func BillOn(billed, due calendar.Date) string {
	return "Billed on " + Day(billed) + ", to be paid by " + Day(due) + "."
}

// PaidOn says when something was paid.
func PaidOn(d calendar.Date) string { return "Paid on " + Day(d) + "." }

// Refunded says what went back.
func Refunded(amount string) string { return amount + " was paid back to you." }

// Permission names a mandate.
func Permission(account, bank string) string {
	if bank == "" {
		return "Account " + account
	}
	return "Account " + account + " at " + bank
}

// PermissionState says how a mandate stands.
func PermissionState(debiCheck bool, state, reference string) string {
	kind := "Debit order"
	if debiCheck {
		kind = "DebiCheck debit order"
	}
	return kind + ", reference " + reference + ". Status: " + state + "."
}

// SubscriptionState says how a subscription stands.
func SubscriptionState(status, why string, paused bool) string {
	switch {
	case status == "active" && !paused:
		return "It is running."
	case status == "pending":
		return "It begins when you have paid or given your bank account."
	case status == "inactive":
		return "It has ended."
	case why == "payer":
		return "You stopped it. Nothing more is billed."
	case why == "client":
		return "You paused it. Nothing is billed until you ask to go on."
	}
	return "It is paused: nothing is billed for now."
}

// NextBill says when a subscription bills next.
func NextBill(d calendar.Date) string { return "Next bill on " + Day(d) + "." }

// About names what an act is about.
func About(named string) string { return "This is about: " + named + "." }
