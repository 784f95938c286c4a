package handlers

import (
	"debitdesk/models/actor"
)

// batchRoutes are the steps on which a file becomes invoices.
func (e *edge) batchRoutes() Table {
	return Table{
		{actor.Read, "Batches: list, progress and results", []Route{
			{page, "GET", "/batches", e.Batches.List},
			{page, "GET", "/batches/template.csv", e.Batches.Template},
			{page, "GET", "/batches/:id", e.Batches.Open},
			{page, "GET", "/batches/:id/map", e.Batches.Map},
			{page, "GET", "/batches/:id/check", e.Batches.Check},
			{page, "GET", "/batches/:id/review", e.Batches.Review},
			{page, "GET", "/batches/:id/run", e.Batches.Run},
			{page, "GET", "/batches/:id/result", e.Batches.Result},
			{page, "GET", "/batches/:id/result.csv", e.Batches.File},
		}},
		{actor.Bill, "Upload, correct, send, pause and void batches; send invoices to many clients", []Route{
			{page, "GET", "/batches/new", e.Batches.New},
			{pageFile, "POST", "/batches", e.Batches.Upload},
			{pageFile, "POST", "/batches/paste", e.Batches.Paste},
			{page, "POST", "/batches/clients", e.Batches.Choose},
			{page, "POST", "/batches/:id/map", e.Batches.PutMap},
			{page, "POST", "/batches/:id/cells", e.Batches.Cell},
			{page, "POST", "/batches/:id/fixes", e.Batches.Fix},
			{page, "POST", "/batches/:id/undo", e.Batches.Undo},
			{page, "GET", "/batches/:id/discard", e.Batches.AskDiscard},
			{page, "POST", "/batches/:id/discard", e.Batches.Discard},
			{page, "POST", "/batches/:id/skips", e.Batches.Skip},
			{page, "POST", "/batches/:id/restores", e.Batches.Restore},
			{page, "GET", "/batches/:id/client", e.Batches.Pick},
			{page, "POST", "/batches/:id/decisions", e.Batches.Decide},
			{page, "POST", "/batches/:id/amounts", e.Batches.Confirm},
			{page, "POST", "/batches/:id/start", e.Batches.Start},
			{page, "POST", "/batches/:id/turns", e.Batches.Turn},
			{page, "GET", "/batches/:id/voiding", e.Batches.AskVoid},
			{page, "POST", "/batches/:id/voiding", e.Batches.Void},
			{apiLarge, "POST", "[/api/v1]/billing", e.API.Billing.Send},
		}},
	}
}

// templateRoutes are billing templates and who subscribes to them. The API has them at
// the root too (API contract 1.1). "clients" is no id of a template: the router takes a
// fixed word before a parameter.
func (e *edge) templateRoutes() Table {
	return Table{
		{actor.Read, "Templates and subscribers: list, export and details", []Route{
			{page, "GET", "/templates", e.Templates.List},
			{page, "GET", "/templates/:id", e.Templates.Show},
			{page, "GET", "/templates/without-account", e.Templates.WithoutAccount},
			{page, "GET", "/templates/without-account/export", e.Templates.ExportWithoutAccount},
			{page, "GET", "/templates/not-allowed", e.Templates.NotAllowed},
			{page, "GET", "/templates/not-allowed/export", e.Templates.ExportNotAllowed},
			{page, "GET", "/templates/:id/subscribers/export", e.Templates.Export},
			{page, "GET", "/templates/:id/subscribers/:sid", e.Templates.Subscriber},
			{apiCall, "GET", "[/api/v1]/billing_templates", e.API.Templates.List},
			{apiCall, "GET", "[/api/v1]/billing_templates/:id", e.API.Templates.Get},
			{apiCall, "GET", "[/api/v1]/billing_templates/:id/clients", e.API.Templates.Subscribers},
			{apiCall, "GET", "[/api/v1]/billing_templates/:id/clients/:btc_id", e.API.Templates.Subscriber},
			{apiCall, "GET", "[/api/v1]/billing_templates/clients/:btc_id", e.API.Templates.Subscriber},
		}},
		{actor.Bill, "Create, change, pause and delete templates; add and change subscribers", []Route{
			{page, "GET", "/templates/:id/edit", e.Templates.Edit},
			{page, "GET", "/templates/:id/pause", e.Templates.AskPause},
			{page, "GET", "/templates/:id/deletion", e.Templates.AskDelete},
			{page, "GET", "/templates/:id/subscribers/new", e.Templates.NewSubscriber},
			{page, "GET", "/templates/:id/subscribers/bulk", e.Templates.AskBulk},
			{page, "GET", "/templates/new", e.Templates.New},
			{page, "GET", "/templates/:id/invoice", e.Templates.AskInvoice},
			{page, "GET", "/templates/:id/pending", e.Templates.AskPending},
			{page, "GET", "/templates/:id/subscribers/:sid/edit", e.Templates.EditSubscriber},
			{page, "GET", "/templates/:id/subscribers/:sid/removal", e.Templates.AskRemove},
			{page, "POST", "/templates", e.Templates.Create},
			{page, "POST", "/templates/preview", e.Templates.Preview},
			{page, "POST", "/templates/:id/edit", e.Templates.Change},
			{page, "POST", "/templates/:id/pause", e.Templates.Pause},
			{page, "GET", "/templates/:id/price", e.Templates.AskPrice},
			{page, "POST", "/templates/:id/price", e.Templates.ChangePrice},
			{page, "POST", "/templates/:id/deletion", e.Templates.Delete},
			{page, "POST", "/templates/:id/invoice", e.Templates.Invoice},
			{page, "POST", "/templates/:id/pending", e.Templates.Pending},
			{page, "POST", "/templates/:id/subscribers", e.Templates.Add},
			{pageFile, "POST", "/templates/:id/subscribers/check", e.Templates.CheckBulk},
			{pageFile, "POST", "/templates/:id/subscribers/bulk", e.Templates.Bulk},
			{page, "POST", "/templates/:id/subscribers/:sid/edit", e.Templates.ChangeSubscriber},
			{page, "POST", "/templates/:id/subscribers/:sid/pause", e.Templates.PauseSubscriber},
			{page, "POST", "/templates/:id/subscribers/:sid/reminder", e.Templates.Remind},
			{page, "POST", "/templates/:id/subscribers/:sid/removal", e.Templates.Remove},
			{apiCall, "POST", "[/api/v1]/billing_templates", e.API.Templates.Create},
			{apiCall, "PUT", "[/api/v1]/billing_templates/:id", e.API.Templates.Update},
			{apiCall, "DELETE", "[/api/v1]/billing_templates/:id", e.API.Templates.Delete},
			{apiCall, "POST", "[/api/v1]/billing_templates/:id/send_invoice", e.API.Templates.SendInvoice},
			{apiCall, "POST", "[/api/v1]/billing_templates/:id/add_subscriber", e.API.Templates.AddSubscriber},
			{apiCall, "PATCH", "[/api/v1]/billing_templates/:id/clients/:btc_id", e.API.Templates.Change},
			{apiCall, "PATCH", "[/api/v1]/billing_templates/clients/:btc_id", e.API.Templates.Change},
		}},
	}
}
