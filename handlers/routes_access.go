package handlers

import (
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/checkout"
	"debitdesk/handlers/manual"
	"debitdesk/models/issuer"
	"debitdesk/static"
)

// accessRoutes need no role: what is open to everybody, the payer's pages, whose link
// is the proof, and what belongs to the person who is signed in.
func (e *edge) accessRoutes() Table {
	return Table{
		{anybody, "Health checks, files, sign-in, the API reference", []Route{
			{open, "GET", "/healthz", healthz},
			{open, "GET", "/readyz", e.readyz},
			{open, "GET", "/metrics", e.metricsPage},
			{open, "GET", "/.well-known/security.txt", e.securityText},
			{open, "GET", "/static/*", echo.WrapHandler(static.Handler())},
			{openForm, "GET", "/login", e.Login.Show},
			{openForm, "POST", "/login", e.Login.SignIn},
			{openForm, "POST", "/logout", e.Login.SignOut},
			{openForm, "GET", "/oidc/start/:id", e.Issuers.Start},
			{openForm, "GET", issuer.CallbackPath + ":id", e.Issuers.Arrive},
			{openForm, "POST", issuer.LogoutPath + ":id", e.Issuers.SignedOut},
			{tokenRequest, "POST", "/oauth/token", access.TokenEndpoint(e.OAuth)},
			{open, "GET", "/openapi.json", e.Reference.OpenAPI},
			{maybeSignedIn, "GET", "/developers/api", e.Reference.Show},
			{openForm, "GET", "/invite/:token", e.Invitation.Show},
			{openForm, "POST", "/invite/:token", e.Invitation.Accept},
			{openForm, "GET", access.FirstPage + ":token", e.First.Show},
			{openForm, "POST", access.FirstPage + ":token", e.First.Open},
			{openForm, "GET", "/reset", e.Reset.Show},
			{openForm, "POST", "/reset", e.Reset.Ask},
			{openForm, "GET", "/reset/:token", e.Reset.Choose},
			{openForm, "POST", "/reset/:token", e.Reset.Set},
			{openForm, "GET", "/login/factor", e.SecondFactors.Ask.ShowLogin},
			{openForm, "POST", "/login/factor", e.SecondFactors.Ask.Login},
		}},
		{anybody, "The manual", []Route{
			{maybeSignedIn, "GET", manual.Path, manual.Contents},
			{maybeSignedIn, "GET", manual.Path + "/:page", manual.Page},
			{open, "GET", manual.Path + "/pictures/:name", manual.Picture},
		}},
		{payerLink, "Clients’ payment pages", []Route{
			{openForm, "GET", "/p/:id", e.Payers.Show},
			{openForm, "POST", "/p/:id", e.Payers.Give},
			{openForm, "GET", "/p/:id/invoice", e.Payers.Invoice},
			{openForm, "GET", "/p/:id/invoice.pdf", e.Payers.InvoicePDF},
			{openForm, "GET", "/p/:id/invoice.xml", e.Payers.InvoiceXML},
			{openForm, "GET", "/p/:id/receipt.pdf", e.Payers.ReceiptPDF},
			{openForm, "GET", "/p/:id/rights", e.Payers.Rights},
			{openForm, "GET", "/p/:id/subscription", e.Payers.Subscription},
			{openForm, "POST", "/p/:id/subscription", e.Payers.StopSubscription},
			{open, "GET", checkout.LookPath + ":sheet", e.Payers.Sheet},
		}},
		{payerLink, "What the provider of SMS tells, at a secret address", []Route{
			{providerCall, "POST", "/sms/:secret/reports", provider{e.Texts.Service}.Reports},
			{providerCall, "POST", "/sms/:secret/replies", provider{e.Texts.Service}.Replies},
		}},
		{payerLink, "Clients’ own pages", []Route{
			{openForm, "GET", "/my", e.My.Show},
			{openForm, "GET", "/my/link/:token", e.My.Door},
			{openForm, "POST", "/my/link/:token", e.My.Open},
			{openForm, "GET", "/my/ask/:merchant", e.My.AskLink},
			{openForm, "POST", "/my/ask/:merchant", e.My.AskLink},
			{openForm, "POST", "/my/leaving", e.My.Leave},
			{openForm, "GET", "/my/statement.pdf", e.My.StatementPDF},
			{openForm, "GET", "/my/mandates/:id", e.My.Mandate},
			{openForm, "GET", "/my/mandates/:id/agreement.pdf", e.My.MandatePDF},
			{openForm, "GET", "/my/acts/:kind", e.My.AskAct},
			{openForm, "POST", "/my/acts/:kind", e.My.Act},
			{openForm, "GET", "/my/codes/:id", e.My.AskCode},
			{openForm, "POST", "/my/codes/:id", e.My.Code},
			{openForm, "POST", "/my/language", e.My.Language},
			{openForm, "GET", "/my/accessibility", e.My.Accessibility},
		}},
		{oneself, "Your own account and sessions", []Route{
			{page, "GET", "/account", e.Account.Show},
			{ownPage, "POST", "/account/theme", e.Account.SetTheme},
			{ownPage, "POST", "/account/first-steps/hiding", e.Account.HideFirstSteps},
			{ownPage, "POST", "/account/first-steps/showing", e.Account.ShowFirstSteps},
			{ownPage, "POST", "/account/keys", e.Account.SetKeys},
			{ownPage, "POST", "/account/sessions/:handle/end", e.Account.EndSession},
			{ownPage, "POST", "/account/sessions/others/end", e.Account.EndOthers},
			{ownPage, "POST", "/account/password", e.Account.ChangePassword},
			{ownPage, "POST", "/account/business", e.Account.Switch},
			{page, "GET", access.FormPage, e.formBack},
			{page, "GET", "/account/proof", e.SecondFactors.Ask.ShowProof},
			{ownPage, "POST", "/account/proof", e.SecondFactors.Ask.Prove},
			{page, "GET", "/account/proof/issuer", e.Issuers.Prove},
			{page, "GET", "/account/security", e.SecondFactors.Security.Show},
			{page, "GET", "/account/security/app", e.SecondFactors.Security.ShowApp},
			{ownProof, "POST", "/account/security/app", e.SecondFactors.Security.BeginApp},
			{ownProof, "POST", "/account/security/app/confirmation", e.SecondFactors.Security.ConfirmApp},
			{page, "GET", "/account/security/app/removal", e.SecondFactors.Security.AskRemoveApp},
			{ownProof, "POST", "/account/security/app/removal", e.SecondFactors.Security.RemoveApp},
			{ownProof, "POST", "/account/security/recovery-codes", e.SecondFactors.Security.RenewCodes},
			{ownPage, "POST", "/account/security/recovery-codes/file", e.SecondFactors.Security.CodesFile},
			{pageProof, "GET", "/account/security/passkeys/new", e.SecondFactors.Security.NewPasskey},
			{ownProof, "POST", "/account/security/passkeys", e.SecondFactors.Security.AddPasskey},
			{page, "GET", "/account/security/passkeys/:id/removal", e.SecondFactors.Security.AskRemovePasskey},
			{ownProof, "POST", "/account/security/passkeys/:id/removal", e.SecondFactors.Security.RemovePasskey},
		}},
	}
}
