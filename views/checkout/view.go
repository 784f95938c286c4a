// Package checkout draws the payer's hosted pages: what is asked, what came of
// it, the invoice. It gets finished words and must not import models.
package checkout

import (
	"debitdesk/views/components"
	"debitdesk/views/layout"
)

// PageView is the payer's page: what is asked for, or what came of it.
type PageView struct {
	Frame    layout.PayerFrame
	Problems components.ErrorSummary
	Notice   *components.Note
	Ask      *Ask     // nil: nothing is asked any more
	Outcome  *Outcome // nil: nothing was done yet
	Waiting  *Waiting // nil: no answer is awaited
	Closed   *components.Note
	Stored   *StoredForm
	Account  *AccountForm
	// Subscription is where what a payment belongs to is seen and stopped; nothing of other payments.
	Subscription components.Link
	Cancel       components.Link // back to the business's own site; without an address there is none
	Rights       string          // what the law lets the client ask for (POPIA)
	RightsLink   components.Link // where a client does so
}

// Ask says by whom, what for, how much and when.
type Ask struct {
	Title, Text   string
	Label, Amount string
	When          string
	Lines         []Line
	For           string // the heads of the columns of lines
	AmountHead    string
	More          string // "and 12 more"
	MoreHref      string
	Facts         components.Facts
	StepsTitle    string
	Steps         []string // what comes next
	English       *English // what is agreed, beside its translation; nil on an English page
	Under         bool     // below an outcome, which has the title of the page
}

// Line is one product.
type Line struct{ Name, Quantity, Amount string }

// Outcome says what came of it. Kind is ok, wait or bad.
type Outcome struct {
	Kind, Icon, Title, Text string
	Facts                   components.Facts
	Next                    []string
	NextTitle, ContinueText string
	Receipt                 components.Link
	Subscription            components.Link // where it is seen and stopped
	Continue                string
	English                 *English          // as in Ask
	Contacts                []components.Link // whom to call or write to, where that is all that is left to do
}

// Waiting is the page while the payer's bank asks the payer. Seconds are left,
// counted down by a script that asks every few seconds how it stands; State
// changes whenever the payer is asked anew.
type Waiting struct {
	Title, Text           string
	Ring                  *Ring // nil: hours are left
	Left, LeftLabel       string
	Reloads               string // for browsers without scripts
	Seconds, Every, State string
	Steps                 []string
	Facts                 components.Facts
	English               *English // as in Ask
	Phone                 string   // the sandbox's phone, or nothing
}

// English is what the client agrees to in the words of the agreement, on a page that is in another language.
type English struct {
	Title, Lang string
	Facts       components.Facts
	Lines       []string
}

// Ring is a time limit drawn as a circle, in seconds.
type Ring struct{ Whole, Gone string }

// StoredForm offers accounts that are stored already.
type StoredForm struct {
	Action, Button, When string
	Choices              components.RadioCards
}

// AccountForm asks for the details of an account and for the payer's agreement.
type AccountForm struct {
	Action, Title   string
	Folded          bool                 // behind "Use another account", closed
	Beside          bool                 // behind "Use another account", open
	Fold            string               // what it is behind
	Store           *components.Checkbox // nil: it is no choice of the payer's
	Name            components.Field
	Bank            components.Select
	Branch          components.Field
	Number          components.Field
	Kind            components.Select
	IDNumber, Phone components.Field
	Terms           []string
	Agreement       string // the title of the terms
	Lang, Note      string // the language of the terms, where it is not that of the page, and what is said of it
	Version         string
	Consent         components.Checkbox
	Button, When    string
}

// InvoiceView is the invoice, or the receipt once it is paid.
type InvoiceView struct {
	Frame    layout.PayerFrame
	Title    string
	State    components.Pill
	Receipt  bool // it is paid
	Facts    components.Facts
	Lines    []InvoiceLine
	WithVAT  bool // lines name the VAT in them
	Sums     []Sum
	Files    []components.Link
	Notes    string
	Seller   []string
	Payer    []string
	From, To string // the titles of seller and payer
	// The heads of the columns.
	For, VATHead, AmountHead string
	Action, ActionTo         string // "Pay" and where to
}

// InvoiceLine is one line of an invoice.
type InvoiceLine struct{ Text, Quantity, VAT, Amount string }

// Sum is one line below the products; the last one is the total.
type Sum struct {
	Label, Amount string
	Total         bool
}

// SubscriptionView is what a payer subscribes to. Done says that it was stopped just now.
type SubscriptionView struct {
	Frame   layout.PayerFrame
	Kind    string // ok, wait or bad
	Icon    string
	Title   string
	Text    string
	Facts   components.Facts
	Rules   []string // when what is billed
	Stop    string   // where the wish to stop is posted; empty: nothing can be stopped
	Asking  bool     // the confirmation
	Means   []string // what stopping means
	AskHref string
	Back    string
	// The words of its titles and buttons.
	MeansTitle, Yes, No, StopText string
}

// ErrorView is a request that cannot be shown.
type ErrorView struct {
	Kind, Icon, Title, Text string
	Request                 string // its number, for whom to ask; empty: nothing to report
	Again                   string // the button to try once more; empty: none
}
