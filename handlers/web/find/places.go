package find

import (
	"context"
	"sync"

	"debitdesk/handlers/manual"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/find"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// more are pages and acts beside the sections, the lists and what can be added.
var more = []find.Place{
	{Group: find.Pages, Label: "Tasks", Icon: "clock", Href: "/tasks", Also: "background export download"},
	{Group: find.Pages, Label: "Undelivered messages", Icon: "mail", Href: "/messages?state=unsent",
		Also: "mails e-mails SMS failed bounced returned outbox"},
	{Group: find.Pages, Label: "Approvals", Icon: "check", Href: "/approvals", Also: "second approver requests"},
	{Group: find.Pages, Label: "Balance and turnover", Icon: "chart", Href: "/reports", Also: "reports money"},
	{Group: find.Pages, Label: "Month by month", Icon: "chart", Href: "/reports/months",
		Also: "reports month end debits method state reason"},
	{Group: find.Pages, Label: "Books: accounts", Icon: "file", Href: "/books/accounts",
		Also: "journal ledger mapping codes VAT revenue"},
	{Group: find.Pages, Label: "Your account", Icon: "user", Href: "/account",
		Also: "profile password sessions theme keyboard shortcuts"},
	{Group: find.Pages, Label: "Two-step sign-in", Icon: "shield", Href: "/account/security",
		Also: "passkey authenticator app recovery codes security"},
	{Group: find.Pages, Label: "Settings: Messages to clients", Icon: "mail", Href: "/settings/messages",
		Also: "mail sms wording words template preview test letter"},
	{Group: find.Pages, Label: "Settings: Business", Icon: "settings", Href: "/settings/business",
		Also: "brands profiles statement"},
	{Group: find.Pages, Label: "Settings: People", Icon: "settings", Href: "/settings/people",
		Also: "users team roles invitations"},
	{Group: find.Pages, Label: "Settings: Roles", Icon: "settings", Href: "/settings/roles", Also: "permissions"},
	{Group: find.Pages, Label: "Settings: Approvals", Icon: "settings", Href: "/settings/approvals",
		Also: "second approver limits"},
	{Group: find.Pages, Label: "Settings: Calendar", Icon: "settings", Href: "/settings/calendar",
		Also: "holidays cut-off lead days"},
	{Group: find.Pages, Label: "Settings: Rules", Icon: "settings", Href: "/settings/rules",
		Also: "own stricter limits tracking retention"},
	{Group: find.Pages, Label: "Rules in force", Icon: "file", Href: "/rules",
		Also: "rulebook scheme disputes days law sources VAT DebiCheck"},
	{Group: find.Pages, Label: "Settings: Security", Icon: "settings", Href: "/settings/security",
		Also: "two-step sign-in required"},
	{Group: find.Pages, Label: "Settings: Single sign-on", Icon: "settings", Href: "/settings/issuers",
		Also: "oidc openid connect provider sso entra google okta"},
	{Group: find.Pages, Label: "Request log", Icon: "code", Href: "/developers/requests", Also: "developers api"},
	{Group: find.Pages, Label: "Webhooks", Icon: "code", Href: "/developers/webhooks", Also: "developers deliveries"},
	{Group: find.Pages, Label: "API reference", Icon: "code", Href: "/developers/api", Also: "developers openapi"},
	{Group: find.Pages, Label: "Keyboard shortcuts", Icon: "keyboard", Href: "/manual/pages#keyboard-shortcuts",
		Also: "keys help"},
	{Group: find.Acts, Label: "Request a statement", Icon: "file", Href: "/reports", Also: "download report"},
	{Group: find.Acts, Label: "Close a month", Icon: "lock", Href: "/books", Also: "books lock month end journal"},
	{Group: find.Acts, Label: "Export to an accounting package", Icon: "file", Href: "/books",
		Also: "books xero quickbooks sage pastel ofx ledger journal download"},
	{Group: find.Acts, Label: "Invite a person", Icon: "user", Href: "/settings/people/invite", Also: "new user team add"},
	{Group: find.Acts, Label: "New brand", Icon: "plus", Href: "/settings/brands/new", Also: "add create"},
	{Group: find.Acts, Label: "New credential", Icon: "plus", Href: "/developers/credentials/new",
		Also: "api key access token add create"},
	{Group: find.Acts, Label: "New webhook", Icon: "plus", Href: "/developers/webhooks/new", Also: "add create endpoint"},
	{Group: find.Acts, Label: "Change your password", Icon: "lock", Href: "/account"},
	{Group: find.Acts, Label: "Sign out", Icon: "logout", Href: "/account#" + pages.SignOutID,
		Also: "log out logout sign off end session leave"},
	{Group: find.Acts, Label: "Light or dark look", Icon: "sun", Href: "/account",
		Also: "change theme mode colours night"},
	{Group: find.Acts, Label: "Pause a subscription", Icon: "repeat", Href: "/templates",
		Also: "stop hold resume subscriber billing template"},
	{Group: find.Acts, Label: "Change the price of a template", Icon: "repeat", Href: "/templates",
		Also: "increase amount fee"},
	{Group: find.Acts, Label: "Debit again", Icon: "repeat", Href: "/purchases?attention=failed",
		Also: "retry collect resubmit failed represent"},
	{Group: find.Acts, Label: "Log a call", Icon: "phone", Href: "/attention",
		Also: "phone note promise to pay snooze close follow up"},
	{Group: find.Acts, Label: "Send a reminder", Icon: "mail", Href: "/purchases?status=overdue",
		Also: "remind chase dunning resend link mail"},
	{Group: find.Acts, Label: "Cancel a purchase", Icon: "x", Href: "/purchases", Also: "stop withdraw void recall debit"},
	{Group: find.Acts, Label: "Mark as paid", Icon: "money", Href: "/purchases?status=overdue",
		Also: "record payment cash transfer eft received"},
	{Group: find.Acts, Label: "Refund a client", Icon: "undo", Href: "/purchases?status=paid",
		Also: "give money back pay back reverse"},
	{Group: find.Acts, Label: "Void an invoice", Icon: "file", Href: "/invoices", Also: "credit note cancel delete"},
	{Group: find.Acts, Label: "Delete a token", Icon: "trash", Href: "/tokens", Also: "remove account stop debits revoke"},
	{Group: find.Acts, Label: "Replace an account", Icon: "key", Href: "/tokens",
		Also: "amend change bank details switch"},
	{Group: find.Acts, Label: "Add a holiday", Icon: "calendar", Href: "/settings/calendar", Also: "closed day public"},
	{Group: find.Acts, Label: "Export clients", Icon: "download", Href: "/clients",
		Also: "download csv excel spreadsheet"},
}

// inSandbox are those of the sandbox.
var inSandbox = []find.Place{
	{Group: find.Acts, Label: "Move the clock", Icon: "clock", Href: "/sandbox/clock", Also: "sandbox time date"},
	{Group: find.Pages, Label: "Sandbox: Bank desk", Icon: "sandbox", Href: "/sandbox/desk", Also: "answer results"},
	{Group: find.Pages, Label: "Sandbox: Phone", Icon: "phone", Href: "/sandbox/phone", Also: "debicheck answer"},
	{Group: find.Pages, Label: "Sandbox: Mail", Icon: "mail", Href: "/sandbox/mail", Also: "messages"},
	{Group: find.Pages, Label: "Simulator", Icon: "play", Href: "/developers/simulator",
		Also: "sandbox demo scenarios wipe"},
}

// ofBankFiles are those of a bank that takes files.
var ofBankFiles = []find.Place{
	{Group: find.Acts, Label: "Import a bank file", Icon: "upload", Href: "/bank/import", Also: "upload statement read"},
	{Group: find.Acts, Label: "Make files now", Icon: "forward", Href: "/bank/cut", Also: "cut bank send hand over"},
}

// chapters are the headings of the manual.
var chapters = sync.OnceValue(func() (out []find.Place) {
	for _, c := range manual.The().Chapters {
		for _, s := range c.Sections {
			label := c.Title
			if s.ID != "" {
				label += ": " + s.Title
			}
			out = append(out, find.Place{Group: find.Manual, Label: label, Icon: "help", Href: c.At(s)})
		}
	}
	return out
})

// places are where the person may go.
func (h *Find) places(ctx context.Context) (out []find.Place) {
	var hidden []string
	if !h.Desk.Sandbox {
		hidden = append(hidden, "sandbox")
	}
	if !h.Desk.BankFiles {
		hidden = append(hidden, "bank")
	}
	seen := map[string]bool{}
	add := func(p find.Place) {
		if key := p.Href + p.Label; !seen[key] && components.MayOpen(ctx, p.Href) {
			seen[key] = true
			out = append(out, p)
		}
	}
	for _, s := range layout.Sections(hidden...) {
		add(find.Place{Group: find.Pages, Label: s.Label, Icon: s.Icon, Href: s.Href})
	}
	for _, s := range layout.NewThings() {
		add(find.Place{Group: find.Acts, Label: s.Label, Icon: s.Icon, Href: s.Href, Also: s.Also})
	}
	lists := h.Lists()
	if h.Desk.Sandbox {
		lists = append(lists, inSandbox...)
	}
	if h.Desk.BankFiles {
		lists = append(lists, ofBankFiles...)
	}
	for _, p := range append(lists, more...) {
		add(p)
	}
	for _, p := range chapters() {
		add(p)
	}
	return out
}

// onDay leads to what happens on a day.
func onDay(day calendar.Date) find.Place {
	return find.Place{Group: find.Pages, Label: "Debits of " + words.Glue(day.Format("Mon 2 Jan 2006")), Icon: "calendar",
		Href: purchases.DebitsHref("", day, day)}
}
