package handlers

import (
	"debitdesk/handlers/api"
	"debitdesk/models/actor"
)

// reportRoutes are how much money came and went, and what programs read and are told.
func (e *edge) reportRoutes() Table {
	return Table{
		{actor.Read, "Save reports, and have them mailed to you", []Route{
			{ownPage, "POST", "/reports/saved", e.Reports.Save},
			{ownPage, "POST", "/reports/saved/:id/mail", e.Reports.MailSaved},
			{ownPage, "POST", "/reports/saved/:id/deletion", e.Reports.DeleteSaved},
		}},
		{actor.Read, "Reports: balance, turnover and statements; events, and what programs can read", []Route{
			{page, "GET", "/reports", e.Reports.Show},
			{page, "GET", "/reports/debits", e.Reports.Debits},
			{page, "GET", "/reports/months", e.Reports.Months},
			{page, "GET", "/reports/months/export", e.Reports.ExportMonth},
			{page, "GET", "/reports/arrears", e.Reports.Arrears},
			{page, "GET", "/reports/recurring", e.Reports.Recurring},
			{page, "GET", "/reports/recurring/moves", e.Reports.RecurringMoves},
			{page, "GET", "/reports/coming", e.Reports.Coming},
			{page, "GET", "/reports/coming/move", e.Reports.Move},
			{page, "GET", "/reports/coming/risks", e.Reports.Risks},
			{page, "GET", "/reports/statements/:id/file", e.Reports.File},
			{page, "GET", "/reports/movements", e.Reports.Movements},
			{page, "GET", "/reports/movements/export", e.Reports.ExportMovements},
			{page, "GET", "/reports/parts", e.Reports.Parts},
			{page, "GET", "/reports/parts/export", e.Reports.ExportParts},
			{apiCall, "GET", "/api/v1/company_statements", e.API.Statements.List},
			{apiCall, "GET", "/api/v1/company_statements/:id", e.API.Statements.Get},
			{apiCall, "GET", "/api/v1/company_statements/:id/file", e.API.Statements.File},
			{apiCall, "GET", "/api/v1/account/json/balance", e.API.Accounts.Balance},
			{apiCall, "GET", "/api/v1/account/json/turnover", e.API.Accounts.Turnover},
			{apiCall, "GET", "/api/v1/payment_methods", e.API.Methods.List},
			{apiCall, "GET", "/api/v1/public_key", e.API.Webhooks.PublicKey},
			{apiCall, "GET", "/api/v1/webhooks", e.API.Webhooks.List},
			{apiCall, "GET", "/api/v1/webhooks/:id", e.API.Webhooks.Get},
			{apiCall, "GET", "/api/v1/webhooks/deliveries", e.API.Webhooks.Deliveries},
			{apiCall, "GET", "/api/v1/webhooks/deliveries/:id", e.API.Webhooks.Delivery},
		}},
		{actor.Read, "Calendar: what each day brings, subscriptions that will bill and promises to pay", []Route{
			{page, "GET", "/calendar", e.Planner.Show},
			{page, "GET", "/calendar/promises", e.Planner.Promises},
			{page, "GET", "/calendar/promises/export", e.Planner.ExportPromises},
			{page, "GET", "/calendar/subscriptions", e.Planner.Turns},
			{page, "GET", "/calendar/subscriptions/export", e.Planner.ExportTurns},
		}},
		{actor.Read, "Plans for debits that fail, and what is under way", []Route{
			{page, "GET", "/plans", e.Plans.List},
			{page, "GET", "/plans/:id", e.Plans.Show},
			{page, "GET", "/plans/:id/rehearsal", e.Plans.Rehearse},
		}},
		{actor.Manage, "Make, change, copy, move, pause and end plans", []Route{
			{page, "GET", "/plans/new", e.Plans.New},
			{page, "POST", "/plans", e.Plans.Create},
			{page, "GET", "/plans/:id/edit", e.Plans.Edit},
			{page, "POST", "/plans/:id", e.Plans.Change},
			{page, "POST", "/plans/:id/state", e.Plans.SetState},
			{page, "GET", "/plans/:id/ending", e.Plans.AskEnd},
			{page, "POST", "/plans/:id/ending", e.Plans.End},
			{page, "GET", "/plans/:id/moving", e.Plans.AskMove},
			{page, "POST", "/plans/:id/moving", e.Plans.Move},
		}},
		{actor.Write, "Skip, hold or end what a plan does about one purchase", []Route{
			{page, "POST", "/purchases/:id/plan", e.Plans.Do},
		}},
		{actor.Read, "Books: what the accounts come to, their entries, VAT, and which months are closed", []Route{
			{page, "GET", "/books", e.Books.Show},
			{page, "GET", "/books/entries", e.Books.Entries},
			{page, "GET", "/books/entries/export", e.Books.ExportEntries},
			{page, "GET", "/books/vat", e.Books.VAT},
			{page, "GET", "/books/fees", e.Books.Fees},
			{page, "GET", "/books/fees/:id", e.Books.Fee},
		}},
		{actor.Books, "Record fees and payouts, and take them back", []Route{
			{page, "GET", "/books/fees/new", e.Books.NewFee},
			{page, "POST", "/books/fees", e.Books.CreateFee},
			{page, "GET", "/books/fees/:id/undoing", e.Books.AskUndo},
			{page, "POST", "/books/fees/:id/undoing", e.Books.Undo},
		}},
		{actor.Books, "Export the journal, choose its accounts and its VAT, close months, and write off bad debts", []Route{
			{page, "POST", "/books/export", e.Books.Export},
			{page, "GET", "/books/accounts", e.Books.Accounts},
			{page, "POST", "/books/accounts", e.Books.Choose},
			{page, "GET", "/books/closing", e.Books.AskClose},
			{page, "POST", "/books/closing", e.Books.Close},
			{page, "POST", "/books/vat/basis", e.Books.ChooseBasis},
			{page, "GET", "/purchases/:id/write-off", e.Books.AskWriteOff},
			{page, "POST", "/purchases/:id/write-off", e.Books.WriteOff},
		}},
		{actor.Manage, "Reopen the month that was closed last", []Route{
			{page, "GET", "/books/closings/:id/reopening", e.Books.AskReopen},
			{page, "POST", "/books/closings/:id/reopening", e.Books.Reopen},
		}},
		{actor.Read, "The rules of debit orders, with their dates and sources", []Route{
			{page, "GET", "/rules", e.Settings.RulesInForce},
		}},
		{actor.Manage, "What a moved public holiday changes, and adding one", []Route{
			{page, "GET", "/calendar/holidays", e.Planner.Holidays},
			{page, "POST", "/calendar/holidays", e.Planner.AddHoliday},
			{page, "POST", "/calendar/holidays/moves", e.Planner.MoveOff},
		}},
		{actor.Write, "Request statements, and stop them", []Route{
			{page, "POST", "/reports/statements", e.Reports.Ask},
			{page, "POST", "/reports/statements/:id/cancellation", e.Reports.Cancel},
			{apiCall, "POST", "/api/v1/company_statements", e.API.Statements.Create},
			{apiCall, "POST", "/api/v1/company_statements/:id/cancel", e.API.Statements.Cancel},
		}},
		{actor.Write, "Webhooks, for programs; people need the permission for settings too", []Route{
			{apiProof, "POST", "/api/v1/webhooks", e.API.Webhooks.Create},
			{apiProof, "PUT", "/api/v1/webhooks/:id", e.API.Webhooks.Update},
			{apiProof, "PATCH", "/api/v1/webhooks/:id", e.API.Webhooks.Update},
			{apiProof, "DELETE", "/api/v1/webhooks/:id", e.API.Webhooks.Delete},
			{apiCall, "POST", "/api/v1/webhooks/:id/test", e.API.Webhooks.Test},
			{apiCall, "POST", "/api/v1/webhooks/:id/resend", e.API.Webhooks.ResendSince},
			{apiCall, "POST", "/api/v1/webhooks/deliveries/:id/resend", e.API.Webhooks.Resend},
		}},
	}
}

// sandboxRoutes are not there in live mode. Programs and people share the addresses
// below /sandbox: a credential or a session opens them.
func (e *edge) sandboxRoutes() Table {
	return Table{
		{actor.Read, "The sandbox: its clock, bank desk, phone and mails", []Route{
			{sandboxCall, "GET", "/sandbox", e.Controls.Enter},
			{sandboxCall, "GET", "/sandbox/clock", e.Controls.Clock},
			{sandboxCall, "GET", "/sandbox/desk", e.Controls.BankDesk},
			{sandboxCall, "GET", "/sandbox/phone", e.Controls.Phone},
			{sandboxCall, "GET", "/sandbox/sms", e.Controls.ShortMessages},
			{sandboxCall, "GET", "/sandbox/mail", e.Controls.Mail},
			{sandboxCall, "GET", "/sandbox/mail/:id", e.Controls.Message},
			{sandboxCall, "GET", "/sandbox/mail/:id/html", e.Controls.MessageHTML},
			{sandboxCall, "GET", "/sandbox/mail/:id/files/:n", e.Controls.File},
		}},
		{actor.MoveClock, "Move the sandbox clock; answer as the sandbox bank and as clients", []Route{
			{sandboxCall, "POST", "/sandbox/clock", e.Controls.MoveClock},
			{sandboxCall, "POST", "/sandbox/collections/:purchase/result", api.NeverDry(e.Controls.Answer)},
			{sandboxCall, "POST", "/sandbox/mandates/:purchase/answer", api.NeverDry(e.Controls.AnswerMandate)},
			{sandboxCall, "POST", "/sandbox/sms/:id/reply", api.NeverDry(e.Controls.ReplySMS)},
			{sandboxPage, "POST", "/developers/simulator/clock", e.Simulator.Move},
			{sandboxPage, "POST", "/developers/simulator/scenarios", e.Simulator.Play},
		}},
	}
}
