package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/models/actor"
)

// developerRoutes are the credentials, events and webhooks of a business.
func (e *edge) developerRoutes() Table {
	return Table{
		{actor.Manage, "Credentials of programs, and the request log", []Route{
			{page, "GET", "/developers", e.Developers.List},
			{page, "GET", "/developers/credentials/new", e.Developers.New},
			{pageProof, "POST", "/developers/credentials", e.Developers.Create},
			{page, "GET", "/developers/credentials/:id/revocation", e.Developers.AskRevoke},
			{pageProof, "POST", "/developers/credentials/:id/revocation", e.Developers.Revoke},
			{page, "GET", "/developers/credentials/:id/rotation", e.Developers.AskRotate},
			{pageProof, "POST", "/developers/credentials/:id/rotation", e.Developers.Rotate},
			{page, "GET", "/developers/requests", e.Requests.List},
			{page, "GET", "/developers/requests/:id", e.Requests.Show},
		}},
		{actor.Manage, "Webhooks and events", []Route{
			{page, "GET", "/developers/events", e.Events.List},
			{page, "GET", "/developers/events/export", e.Events.Export},
			{page, "GET", "/developers/events/:id", e.Events.Show},
			{page, "GET", "/developers/webhooks", e.Webhooks.List},
			{pageProof, "POST", "/developers/webhooks", e.Webhooks.Create},
			{page, "GET", "/developers/webhooks/new", e.Webhooks.New},
			{page, "GET", "/developers/webhooks/deliveries/:id", e.Webhooks.Delivery},
			{page, "POST", "/developers/webhooks/deliveries/:id/resend", e.Webhooks.Resend},
			{page, "GET", "/developers/webhooks/:id", e.Webhooks.Show},
			{page, "GET", "/developers/webhooks/:id/edit", e.Webhooks.Edit},
			{pageProof, "POST", "/developers/webhooks/:id", e.Webhooks.Update},
			{page, "POST", "/developers/webhooks/:id/test", e.Webhooks.Test},
			{page, "GET", "/developers/webhooks/:id/resend", e.Webhooks.AskResend},
			{page, "POST", "/developers/webhooks/:id/resend", e.Webhooks.ResendSince},
			{page, "GET", "/developers/webhooks/:id/deletion", e.Webhooks.AskDelete},
			{pageProof, "POST", "/developers/webhooks/:id/deletion", e.Webhooks.Delete},
		}},
		{actor.Manage, "The simulator, and wiping a test merchant", []Route{
			{sandboxPage, "GET", "/developers/simulator", e.Simulator.Show},
			{sandboxPage, "POST", "/developers/simulator/demo", e.Simulator.Fill},
			{sandboxPage, "GET", "/developers/simulator/wipe", e.Simulator.AskWipe},
			{sandboxPage, "POST", "/developers/simulator/wipe", e.Simulator.Wipe},
		}},
	}
}

// settingsRoutes say how a business works and who works for it.
func (e *edge) settingsRoutes() Table {
	return Table{
		{actor.Manage, "People, invitations and whether two-step sign-in is required", []Route{
			{page, "GET", "/settings/people", e.People.List},
			{page, "GET", "/settings/people/invite", e.People.New},
			{pageProof, "POST", "/settings/people/invitations", e.People.Invite},
			{page, "POST", "/settings/people/invitations/:id/mails", e.People.Resend},
			{page, "POST", "/settings/people/invitations/:id/revocation", e.People.Revoke},
			{page, "GET", "/settings/people/:id", e.People.Show},
			{pageProof, "POST", "/settings/people/:id", e.People.Change},
			{pageProof, "POST", "/settings/people/:id/disabling", e.People.Disable},
			{pageProof, "POST", "/settings/people/:id/enabling", e.People.Enable},
			{page, "GET", "/settings/people/:id/removal", e.People.AskRemove},
			{pageProof, "POST", "/settings/people/:id/removal", e.People.Remove},
			{page, "GET", "/settings/security", e.SecondFactors.Demand.Show},
			{pageProof, "POST", "/settings/security", e.SecondFactors.Demand.Set},
			{page, "GET", "/settings/security/people/:id/reset", e.SecondFactors.Demand.AskReset},
			{pageProof, "POST", "/settings/security/people/:id/reset", e.SecondFactors.Demand.Reset},
		}},
		{actor.Manage, "Providers of single sign-on, and who never needs them", []Route{
			{page, "GET", "/settings/issuers", e.SignOn.List},
			{page, "GET", "/settings/issuers/new", e.SignOn.New},
			{pageProof, "POST", "/settings/issuers", e.SignOn.Create},
			{pageProof, "POST", "/settings/issuers/exceptions", e.SignOn.Keep},
			{page, "GET", "/settings/issuers/:id", e.SignOn.Show},
			{pageProof, "POST", "/settings/issuers/:id", e.SignOn.Update},
			{page, "GET", "/settings/issuers/:id/removal", e.SignOn.AskRemove},
			{pageProof, "POST", "/settings/issuers/:id/removal", e.SignOn.Remove},
		}},
		{actor.Manage, "Erase a client’s personal data on request", []Route{
			{page, "GET", "/clients/:id/erasure", e.Clients.AskErase},
			{pageProof, "POST", "/clients/:id/erasure", e.Clients.Erase},
		}},
		{actor.Manage, "The audit, and audit packs of mandates", []Route{
			{page, "GET", "/audit", e.Audit.List},
			{page, "GET", "/audit/export", e.Audit.Export},
			{page, "POST", "/audit/check", e.Audit.Check},
			{page, "GET", "/audit/checkpoint", e.Audit.Checkpoint},
			{page, "GET", "/audit/:id", e.Audit.Show},
			{page, "GET", "/audit/:id/proof", e.Audit.Proof},
			{page, "GET", "/mandates/:id/pack.zip", e.Mandates.Pack},
		}},
		{actor.Manage, "What needs a second approver", []Route{
			{page, "GET", "/settings/approvals", e.Approvals.Settings},
			{pageProof, "POST", "/settings/approvals", e.Approvals.Demand},
		}},
		{actor.Manage, "What clients may do on their own page", []Route{
			{page, "GET", "/settings/brands/:id/page", e.ClientPages.Settings},
			{page, "POST", "/settings/brands/:id/page", e.ClientPages.Set},
		}},
		{actor.Manage, "Whether clients are told of debits before them", []Route{
			{page, "POST", "/settings/brands/:id/messages/:message/notice", e.Wordings.SaveNotice},
		}},
		{actor.Manage, "Your own words in messages to clients", []Route{
			{page, "GET", "/settings/brands/:id/messages/:message/words", e.Wordings.Words},
			{page, "POST", "/settings/brands/:id/messages/:message/words", e.Wordings.Save},
			{page, "POST", "/settings/brands/:id/messages/:message/words/preview", e.Wordings.Preview},
			{page, "GET", "/settings/brands/:id/messages/:message/history", e.Wordings.History},
		}},
		{actor.Manage, "How many SMS go out, and when", []Route{
			{page, "GET", "/settings/sms", e.Texts.Settings},
			{page, "POST", "/settings/sms", e.Texts.Set},
		}},
		{actor.Manage, "Own rules, stricter than the scheme’s", []Route{
			{page, "GET", "/settings/rules", e.Settings.OwnRules},
			{pageProof, "POST", "/settings/rules", e.Settings.SetRule},
			{page, "GET", "/settings/rules/:id/end", e.Settings.AskEndRule},
			{pageProof, "POST", "/settings/rules/:id/end", e.Settings.EndRule},
		}},
		{actor.Manage, "Take along everything that the business owns; full numbers with a second approver", []Route{
			{page, "GET", "/settings/book", e.Settings.Book},
			{page, "POST", "/settings/book", e.Settings.TakeBook},
			{pageProof, "POST", "/settings/book/numbers", e.Settings.AskBookNumbers},
		}},
		{actor.Manage, "Brands, debit-order profiles, roles and the calendar", []Route{
			{page, "GET", "/settings", toBusiness},
			{page, "GET", "/settings/business", e.Settings.Business},
			{page, "GET", "/settings/roles", e.Settings.Roles},
			{page, "GET", "/settings/calendar", e.Settings.Calendar},
			{page, "GET", "/settings/brands/new", e.Settings.NewBrand},
			{pageLogo, "POST", "/settings/brands", e.Settings.AddBrand},
			{page, "GET", "/settings/brands/:id", e.Settings.Brand},
			{pageLogo, "POST", "/settings/brands/:id", e.Settings.ChangeBrand},
			{page, "GET", "/settings/brands/:id/removal", e.Settings.AskRemoveBrand},
			{page, "POST", "/settings/brands/:id/removal", e.Settings.RemoveBrand},
			{pageProof, "POST", "/settings/brands/:id/profiles", e.Settings.AddProfile},
			{pageProof, "GET", "/settings/brands/:id/profiles/new", e.Settings.NewProfile},
			{pageProof, "POST", "/settings/brands/:id/profiles/:profile/default", e.Settings.DefaultProfile},
			{page, "GET", "/settings/brands/:id/profiles/:profile/removal", e.Settings.AskRemoveProfile},
			{pageProof, "POST", "/settings/brands/:id/profiles/:profile/removal", e.Settings.RemoveProfile},
		}},
	}
}

func toBusiness(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "/settings/business") }
