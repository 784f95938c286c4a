// Package layout draws what stands around a page: the dashboard's frame, the bare page of sign-in, and the client's
// page. It knows which sections the dashboard has and where they are; it must not know what is in them.
package layout

import (
	"strconv"

	"debitdesk/views/components"
)

// Frame is what the dashboard's frame shows on every page. Active is the rail item's key: home, attention, clients,
// tokens, mandates, purchases, invoices, templates, batches, bank, reports, books, developers, settings, sandbox; or
// tasks, to which the menu of the person leads.
type Frame struct {
	Title, Active   string
	User            User
	Merchant, Brand string
	AttentionCount  int
	Sandbox         *SandboxBanner // nil in live mode, and then no sandbox section either
	Flash           []components.Flash
	Theme           string // light, dark, or empty to follow the system
	Keys            string // off where the person turned the keys of a single character off
	ThemeAction     string // where a theme is posted (theme=light|dark|system); empty leaves the switch out
	SignOutAction   string // /logout by default
	AccountHref     string // the person's own page; empty leaves the link out
	Search          string // what the top search holds
	Hide            []string
	Work            WorkLine
	Pins            []Pin      // saved views that the person sees on every page
	Others          []Business // where else the person works; posted to /account/business
	AsOf            string     // the time of what is shown, where that is not now
}

// WorkLine tells of the person's own long work: Text says what is going on or has just ended; without it there is
// nothing to tell. While Live it asks for itself again.
type WorkLine struct {
	Text string
	Live bool
}

// Pin is a saved view in the rail; Count is where its number is asked for.
type Pin struct{ Label, Href, Count string }

// Business is another business of the person.
type Business struct{ ID, Name string }

// User is the person who is signed in. Role is the word that is shown: Admin, Finance, Staff.
type User struct{ Name, Email, Role, Initials string }

// SandboxBanner says that no bank is contacted. Now is "1 Dec 2026, 06:00", ISO the same instant with zone.
type SandboxBanner struct {
	Now, ISO  string
	OtherBank bool // another than the sandbox bank collects
}

func (s SandboxBanner) first() string {
	if s.OtherBank {
		return "Sandbox – test data only"
	}
	return "Sandbox – no bank is contacted"
}

// Plain is a page outside the dashboard, such as sign-in.
type Plain struct {
	Title   string
	Theme   string
	Sandbox *SandboxBanner
	Flash   []components.Flash
	Footer  string
}

// PayerFrame is the payer's page. Payee is who asks for the money; Refresh, in seconds, reloads a page that waits
// where scripts do not run; Script is the address of the one that a page that waits has; Sheet is that of the style
// sheet with the colour of the brand; Logo takes the place of its initials.
type PayerFrame struct {
	Title, Payee, PayeeNote, Initials string
	Sandbox                           *SandboxBanner
	Contact                           PayerContact
	Refresh                           int
	Script, Sheet                     string
	Logo                              components.Logo
	Words                             PayerWords
	Languages                         []components.LanguageLink // the page in other languages; none: there are none
}

// PayerWords are the words of the frame itself. Lang is the language of the page, as HTML names it.
type PayerWords struct {
	Lang, Skip, Encrypted, Languages string
	Form                             components.FormWords
}

// PayerContact says whom you can ask on the pages for clients: a sentence whose links can be tapped.
type PayerContact []components.Link

// section is a part of the dashboard. Manual is where the manual explains it.
type section struct{ Key, Label, Icon, Href, Manual string }

var sections = []section{
	{"home", "Home", "home", "/", "/manual/start"},
	{"attention", "Needs attention", "bell", "/attention", "/manual/debits#needs-attention"},
	{"clients", "Clients", "users", "/clients", "/manual/clients"},
	{"tokens", "Tokens", "key", "/tokens", "/manual/clients#store-an-account"},
	{"mandates", "Mandates", "shield", "/mandates", "/manual/clients#set-up-a-debicheck-mandate"},
	{"purchases", "Purchases", "receipt", "/purchases", "/manual/debits"},
	{"invoices", "Invoices", "file", "/invoices", "/manual/invoices"},
	{"templates", "Templates", "repeat", "/templates", "/manual/subscriptions"},
	{"plans", "Plans", "repeat", "/plans", "/manual/plans"},
	{"batches", "Batches", "layers", "/batches", "/manual/invoices#a-batch-in-six-steps"},
	{"imports", "Imports", "upload", "/imports", "/manual/moving-in"},
	{"calendar", "Calendar", "calendar", "/calendar", "/manual/pages#calendar"},
	{"bank", "Bank files", "bank", "/bank", "/manual/bank-files"},
	{"reports", "Reports", "chart", "/reports", "/manual/pages#reports"},
	{"books", "Books", "file", "/books", "/manual/books"},
	{"developers", "Developers", "code", "/developers", "/manual/api"},
	{"settings", "Settings", "settings", "/settings", "/manual/configuration"},
	{"sandbox", "Sandbox", "sandbox", "/sandbox", "/manual/sandbox"},
}

// onBar are the sections of the bottom bar on phones; the rest is behind More.
var onBar = map[string]bool{"home": true, "clients": true, "tokens": true, "purchases": true}

var newThings = []components.MenuItem{
	{Label: "New client", Icon: "user", Href: "/clients/new"},
	{Label: "New purchase", Icon: "receipt", Href: "/purchases/new"},
	{Label: "Set up mandate", Icon: "shield", Href: "/mandates/new"},
	{Label: "New batch", Icon: "layers", Href: "/batches/new"},
	{Label: "New import", Icon: "upload", Href: "/imports/new"},
	{Label: "New template", Icon: "repeat", Href: "/templates/new"},
	{Label: "Store a bank account", Icon: "bank", Href: "/tokens/new"},
}

// sections lists what this frame leads to: the sandbox in sandbox mode alone, and nothing that is hidden from
// the person.
func (f Frame) sections() []section {
	var out []section
	for _, r := range sections {
		if (r.Key != "sandbox" || f.Sandbox != nil) && !f.hides(r.Key) {
			out = append(out, r)
		}
	}
	return out
}

func (f Frame) hides(key string) bool {
	for _, h := range f.Hide {
		if h == key {
			return true
		}
	}
	return false
}

func (f Frame) bar(on bool) []section {
	var out []section
	for _, r := range f.sections() {
		if onBar[r.Key] == on {
			out = append(out, r)
		}
	}
	return out
}

// moreActive says whether the page is one of those behind More.
func (f Frame) moreActive() bool {
	for _, r := range f.bar(false) {
		if r.Key == f.Active {
			return true
		}
	}
	return false
}

// manual is the part of the manual that explains the section.
func (f Frame) manual() string {
	for _, r := range sections {
		if r.Key == f.Active {
			return r.Manual
		}
	}
	if f.Active == "tasks" {
		return "/manual/pages#tasks"
	}
	return "/manual"
}

// count is the number in the rail; it stops at 99+ to keep its place.
func (f Frame) count() string {
	if f.AttentionCount > 99 {
		return "99+"
	}
	return strconv.Itoa(f.AttentionCount)
}

func (f Frame) title() string {
	if f.Title == "" {
		return "Debitdesk"
	}
	return f.Title + " · Debitdesk"
}

func or(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}

// htmxConfig keeps htmx within the content security policy and lets it show answers that carry a form with problems.
// What is boosted stays on its page, so the page does not scroll to what was swapped.
const htmxConfig = `{"includeIndicatorStyles":false,"allowEval":false,"allowScriptTags":false,"historyCacheSize":0,` +
	`"scrollIntoViewOnBoost":false,` +
	`"refreshOnHistoryMiss":true,"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},` +
	`{"code":"(409|422|503)","swap":true,"error":false},{"code":"[45]..","swap":false,"error":true}]}`
