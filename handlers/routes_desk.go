package handlers

import (
	"debitdesk/models/actor"
	"debitdesk/models/followup"
)

// homeRoutes show what needs attention and what waits for a second approver.
func (e *edge) homeRoutes() Table {
	return Table{
		{actor.Read, "Home and what needs attention", []Route{
			{page, "GET", "/", e.Home.Show},
			{page, "GET", "/attention", e.Home.Attention},
			{page, "GET", "/attention/:id", e.Home.Item},
		}},
		{actor.Write, "Follow up what needs attention: notes, calls, promises, owner, snooze, close", []Route{
			{page, "POST", "/attention", e.Home.Many},
			{page, "POST", "/attention/:id", e.Home.Act},
			{page, "POST", "/attention/:id/undo", e.Home.Undo},
		}},
		{actor.Read, "Notes and calls about clients, purchases, mandates and tokens", []Route{
			{page, "GET", "/clients/:id/notes", e.Followups.Show(followup.Client)},
			{page, "GET", "/purchases/:id/notes", e.Followups.Show(followup.Purchase)},
			{page, "GET", "/mandates/:id/notes", e.Followups.Show(followup.Mandate)},
			{page, "GET", "/tokens/:id/notes", e.Followups.Show(followup.Token)},
		}},
		{actor.Read, "Promises to pay: list and export", []Route{
			{page, "GET", "/promises", e.Followups.Promises},
			{page, "GET", "/promises/export", e.Followups.ExportPromises},
		}},
		{actor.Write, "Write notes, calls, promises to pay and owners of clients, purchases, mandates and tokens", []Route{
			{page, "POST", "/clients/:id/notes", e.Followups.Write(followup.Client)},
			{page, "POST", "/purchases/:id/notes", e.Followups.Write(followup.Purchase)},
			{page, "POST", "/mandates/:id/notes", e.Followups.Write(followup.Mandate)},
			{page, "POST", "/tokens/:id/notes", e.Followups.Write(followup.Token)},
		}},
		{actor.Read, "Find anything: the search over clients, purchases, numbers, pages and actions", []Route{
			{page, "GET", "/find", e.Find.Show},
		}},
		{actor.Read, "Tasks in the background: list, progress, files; cancel and download what you may ask for", []Route{
			{page, "GET", "/tasks", e.Tasks.List},
			{page, "GET", "/tasks/line", e.Tasks.Line},
			{page, "GET", "/tasks/:id/file", e.Tasks.File},
			{ownPage, "POST", "/tasks/:id/cancellation", e.Tasks.Cancel},
			{ownPage, "POST", "/tasks/exports", e.Tasks.AskExport},
		}},
		{actor.Read, "Select rows in lists", []Route{
			{ownPage, "POST", "/selections", e.Selections.Choose},
		}},
		{actor.Write, "Do one thing with many selected rows, where you may do it with one", []Route{
			{page, "GET", "/selections/:id/:act", e.Bulk.Ask},
			{page, "POST", "/selections/:id/:act", e.Bulk.Do},
		}},
		{
			actor.Read,
			"Lists as you want them: columns, rows of a page, saved views; share views if you may add and change",
			[]Route{
				{ownPage, "POST", "/lists/settings", e.Lists.Choose},
				{ownPage, "POST", "/lists/views", e.Lists.Save},
				{ownPage, "POST", "/lists/views/:id", e.Lists.Change},
				{ownPage, "POST", "/lists/views/:id/replacement", e.Lists.Replace},
				{ownPage, "POST", "/lists/views/:id/deletion", e.Lists.Delete},
				{ownPage, "POST", "/lists/views/:id/restoration", e.Lists.Restore},
				{ownPage, "POST", "/lists/views/:id/pin", e.Lists.Pin},
				{page, "GET", "/lists/views/:id/count", e.Lists.Count},
			},
		},
		{actor.Read, "Requests for a second approver: list and details", []Route{
			{page, "GET", "/approvals", e.Approvals.List},
			{page, "GET", "/approvals/:id", e.Approvals.Show},
		}},
		{actor.Write, "Withdraw your own request for a second approver", []Route{
			{page, "POST", "/approvals/:id/withdrawal", e.Approvals.Withdraw},
		}},
		{actor.Approve, "Approve or refuse what another person asked for", []Route{
			{pageProof, "POST", "/approvals/:id/decision", e.Approvals.Decide},
		}},
	}
}

// clientRoutes are the clients. Erasing one stands with the settings.
func (e *edge) clientRoutes() Table {
	return Table{
		{actor.Read, "Clients: list, export and details", []Route{
			{page, "GET", "/clients", e.Clients.List},
			{page, "GET", "/clients/export", e.Clients.Export},
			{page, "GET", "/clients/duplicates", e.Clients.Duplicates},
			{page, "GET", "/clients/:id", e.Clients.Show},
			{page, "GET", "/clients/:id/account", e.Clients.Account},
			{page, "GET", "/clients/:id/account/export", e.Clients.ExportAccount},
			{page, "GET", "/clients/:id/account/statement.pdf", e.Clients.StatementPDF},
			{apiCall, "GET", "/api/v1/clients", e.API.Clients.List},
			{apiCall, "GET", "/api/v1/clients/:id", e.API.Clients.Get},
		}},
		{actor.Write, "Add, change, merge and delete clients", []Route{
			{page, "GET", "/clients/new", e.Clients.New},
			{page, "POST", "/clients", e.Clients.Create},
			{page, "GET", "/clients/:id/edit", e.Clients.Edit},
			{page, "GET", "/clients/:id/account/mailing", e.Clients.AskMailing},
			{page, "POST", "/clients/:id/account/mailing", e.Clients.MailStatement},
			{page, "POST", "/clients/:id", e.Clients.Update},
			{page, "GET", "/clients/:id/deletion", e.Clients.AskDelete},
			{pageProof, "POST", "/clients/:id/deletion", e.Clients.Delete},
			{page, "GET", "/clients/:id/stop", e.Clients.AskStop},
			{page, "POST", "/clients/:id/stop", e.Clients.Stop},
			{page, "GET", "/clients/:id/merge", e.Clients.AskMerge},
			{page, "POST", "/clients/:id/merge", e.Clients.Merge},
			{page, "POST", "/clients/:id/apart", e.Clients.SetApart},
			{page, "GET", "/clients/:id/separation", e.Clients.AskSeparation},
			{page, "POST", "/clients/:id/separation", e.Clients.Separate},
			{apiCall, "POST", "/api/v1/clients", e.API.Clients.Create},
			{apiCall, "PUT", "/api/v1/clients/:id", e.API.Clients.Update},
			{apiCall, "PATCH", "/api/v1/clients/:id", e.API.Clients.Update},
			{apiProof, "DELETE", "/api/v1/clients/:id", e.API.Clients.Delete},
		}},
		{actor.Write, "Send clients the link to their own page, and end such links", []Route{
			{page, "GET", "/clients/:id/page", e.ClientPages.Show},
			{page, "POST", "/clients/:id/page", e.ClientPages.Send},
			{page, "POST", "/clients/:id/page/sms", e.ClientPages.SendSMS},
			{page, "POST", "/clients/:id/page/end", e.ClientPages.End},
		}},
		{actor.Read, "SMS to clients, and what they answered", []Route{
			{page, "GET", "/clients/:id/sms", e.Texts.Show},
		}},
		{actor.Read, "Messages to clients, by e-mail and SMS: list, export and what each said", []Route{
			{page, "GET", "/messages", e.Messages.List},
			{page, "GET", "/messages/export", e.Messages.Export},
			{page, "GET", "/messages/:id", e.Messages.Show},
		}},
		{actor.Read, "How each message to clients reads", []Route{
			{page, "GET", "/settings/messages", e.Wordings.First},
			{page, "GET", "/settings/brands/:id/messages", e.Wordings.List},
			{page, "GET", "/settings/brands/:id/messages/:message", e.Wordings.Show},
		}},
		{actor.Write, "A test of a message, mailed to yourself", []Route{
			{page, "POST", "/settings/brands/:id/messages/:message/test", e.Wordings.Test},
		}},
		{actor.Write, "Write SMS to clients", []Route{
			{page, "POST", "/clients/:id/sms", e.Texts.Write},
			{page, "POST", "/clients/:id/sms/preview", e.Texts.Preview},
		}},
		{actor.Read, "What clients ask for: privacy requests and others", []Route{
			{page, "GET", "/requests", e.ClientPages.Requests},
			{page, "GET", "/requests/:id", e.ClientPages.Request},
		}},
		{actor.Write, "Write down what clients ask for, and answer it", []Route{
			{page, "GET", "/clients/:id/requests/new", e.ClientPages.NewRequest},
			{page, "POST", "/clients/:id/requests", e.ClientPages.Record},
			{page, "POST", "/requests/:id/answer", e.ClientPages.Answer},
			{page, "POST", "/requests/:id/reopening", e.ClientPages.Reopen},
		}},
		{actor.Approve, "Let debits go on under a mandate to which the client says it did not agree", []Route{
			{page, "POST", "/requests/:id/going-on", e.ClientPages.GoOn},
		}},
		{actor.Approve, "Undo the stop of everything that is debited from a client", []Route{
			{page, "GET", "/clients/:id/resumption", e.Clients.AskResume},
			{page, "POST", "/clients/:id/resumption", e.Clients.Resume},
		}},
		{actor.Reveal, "Show the full account and identity number of a client", []Route{
			{pageProof, "POST", "/clients/:id/numbers", e.Clients.Reveal},
		}},
	}
}

// accountRoutes are the bank accounts that may be debited, and their mandates.
func (e *edge) accountRoutes() Table {
	return Table{
		{actor.Read, "Tokens and mandates: list, export, details, documents and evidence", []Route{
			{page, "GET", "/tokens", e.Tokens.List},
			{page, "GET", "/tokens/export", e.Tokens.Export},
			{page, "GET", "/tokens/:id", e.Tokens.Show},
			{page, "GET", "/mandates", e.Mandates.List},
			{page, "GET", "/mandates/export", e.Mandates.Export},
			{page, "GET", "/mandates/:id", e.Mandates.Show},
			{page, "GET", "/mandates/:id/document.pdf", e.Mandates.Document},
			{page, "GET", "/mandates/:id/evidence/:file", e.Mandates.Evidence},
			{page, "GET", "/mandates/:id/events", e.Live.Events},
			{page, "GET", "/amendments/:id", e.Amendments.Show},
			{apiCall, "GET", "/api/v1/clients/:id/recurring_tokens", e.API.Tokens.List},
			{apiCall, "GET", "/api/v1/clients/:id/recurring_tokens/:token_id", e.API.Tokens.Get},
		}},
		{actor.Write, "Store bank accounts, set up mandates, ask clients to confirm, change debit-order details", []Route{
			{page, "GET", "/tokens/new", e.Accounts.Choose},
			{page, "GET", "/clients/:id/accounts/new", e.Accounts.New},
			{page, "POST", "/clients/:id/accounts/link", e.Accounts.SendLink},
			{pageScan, "POST", "/clients/:id/accounts", e.Accounts.Capture},
			{page, "GET", "/mandates/new", e.SetUp.New},
			{page, "POST", "/mandates", e.SetUp.Create},
			{page, "POST", "/mandates/preview", e.SetUp.Preview},
			{page, "GET", "/clients/:id/mandates/new", e.SetUp.New},
			{page, "POST", "/mandates/:id/authentications", e.Live.Ask},
			{page, "GET", "/mandates/:id/evidence/new", e.Mandates.NewEvidence},
			{pageScan, "POST", "/mandates/:id/evidence", e.Mandates.AddEvidence},
			{page, "GET", "/tokens/:id/amendment", e.Amendments.New},
			{page, "POST", "/tokens/:id/amendment", e.Amendments.Begin},
			{pageScan, "POST", "/amendments/:id/account", e.Amendments.Give},
			{page, "POST", "/amendments/:id/takeover", e.Amendments.TakeOver},
			{page, "POST", "/amendments/:id/abandonment", e.Amendments.Abandon},
		}},
		{actor.DeleteTokens, "Delete tokens", []Route{
			{page, "GET", "/tokens/deletion", e.Tokens.AskDelete},
			{pageProof, "POST", "/tokens/deletion", e.Tokens.Delete},
			{page, "POST", "/tokens/deletions/:id/undo", e.Tokens.Undo},
			{page, "GET", "/tokens/deletions/:id/now", e.Tokens.AskDeleteNow},
			{pageProof, "POST", "/tokens/deletions/:id/now", e.Tokens.DeleteNow},
			{apiProof, "DELETE", "/api/v1/clients/:id/recurring_tokens/:token_id", e.API.Tokens.Delete},
			{apiProof, "POST", "[/api/v1]/purchases/:id/delete_recurring_token", e.API.Purchases.DeleteRecurringToken},
		}},
	}
}

// purchaseRoutes are what clients owe, and how it is debited.
func (e *edge) purchaseRoutes() Table {
	return Table{
		{actor.Read, "Purchases and invoices: list, export and details", []Route{
			{page, "GET", "/purchases", e.Purchases.List},
			{page, "GET", "/purchases/export", e.Purchases.Export},
			{page, "GET", "/purchases/debits", e.Purchases.Debits},
			{page, "GET", "/purchases/debits/export", e.Purchases.ExportDebits},
			{page, "GET", "/purchases/:id", e.Purchases.Show},
			{page, "GET", "/purchases/:id/qr", e.Purchases.QR},
			{page, "GET", "/invoices", e.Invoices.List},
			{page, "GET", "/invoices/export", e.Invoices.Export},
			{apiCall, "GET", "/api/v1/purchases", e.API.Purchases.List},
			{apiCall, "GET", "/api/v1/purchases/counts", e.API.Purchases.Counts},
			{apiCall, "GET", "/api/v1/purchases/:id", e.API.Purchases.Get},
		}},
		{actor.Write, "Create, charge, cancel and mail purchases", []Route{
			{page, "GET", "/purchases/new", e.Purchases.New},
			{page, "POST", "/purchases", e.Purchases.Create},
			{page, "POST", "/purchases/preview", e.Purchases.Preview},
			{page, "GET", "/purchases/:id/charge", e.Purchases.AskCharge},
			{page, "GET", "/purchases/:id/charge/plan", e.Purchases.PlanCharge},
			{page, "POST", "/purchases/:id/charge", e.Purchases.Charge},
			{page, "GET", "/purchases/:id/cancellation", e.Purchases.AskCancel},
			{page, "POST", "/purchases/:id/cancellation", e.Purchases.Cancel},
			{page, "GET", "/purchases/:id/payment", e.Purchases.AskPaid},
			{page, "POST", "/purchases/:id/payment", e.Purchases.Paid},
			{page, "GET", "/purchases/:id/mail", e.Purchases.AskMail},
			{page, "POST", "/purchases/:id/mail", e.Purchases.Mail},
			{page, "GET", "/purchases/:id/address", e.Purchases.AskAddress},
			{page, "POST", "/purchases/:id/address", e.Purchases.Address},
			{apiCall, "POST", "/api/v1/purchases", e.API.Purchases.Create},
			{apiCall, "POST", "/api/v1/purchases/:id/cancel", e.API.Purchases.Cancel},
			{apiCall, "POST", "/api/v1/purchases/:id/charge", e.API.Purchases.Charge},
			{apiCall, "POST", "/api/v1/purchases/:id/capture", e.API.Purchases.Capture},
			{apiCall, "POST", "/api/v1/purchases/:id/release", e.API.Purchases.Release},
			{apiCall, "POST", "/api/v1/purchases/:id/mark_as_paid", e.API.Purchases.MarkAsPaid},
			{apiCall, "POST", "/api/v1/purchases/:id/resend_invoice", e.API.Purchases.ResendInvoice},
		}},
		{actor.Refund, "Refund paid purchases, and record that a refund was paid out", []Route{
			{page, "GET", "/purchases/:id/refund", e.Purchases.AskRefund},
			{page, "POST", "/purchases/:id/refund", e.Purchases.Refund},
			{page, "GET", "/purchases/:id/settlement", e.Purchases.AskSettle},
			{page, "POST", "/purchases/:id/settlement", e.Purchases.Settle},
			{page, "GET", "/purchases/:id/withdrawal", e.Purchases.AskWithdraw},
			{page, "POST", "/purchases/:id/withdrawal", e.Purchases.Withdraw},
			{page, "GET", "/purchases/:id/payment/return", e.Purchases.AskTakeBack},
			{page, "POST", "/purchases/:id/payment/return", e.Purchases.TakeBack},
			{apiCall, "POST", "/api/v1/purchases/:id/refund", e.API.Purchases.Refund},
		}},
	}
}
