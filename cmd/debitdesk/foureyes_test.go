package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"debitdesk/models/actor"
	"debitdesk/models/merchant"
	"debitdesk/models/user"
)

// A second person agrees to a deletion; it is taken back, asked for again by nobody,
// and made final at once.
func TestASecondPersonAgreesAndTheDeletionIsUndoneAndMadeFinal(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	second := user.Input{Email: "werner@gym.example", Name: "Werner Louw", Password: password, Role: actor.Finance}
	m, err := merchant.Store{DB: site.app.Store}.MerchantBySlug(t.Context(), "gym")
	must(t, err)
	_, err = site.app.Services.Users.Create(t.Context(), actor.OperatorOf(m.ID), second)
	must(t, err)
	chromium := browser(t)
	owner := site.tab(t, chromium)
	owner.signIn()
	client := owner.addsClient("Thandiwe Nkosi", "thandiwe@example.com")
	site.tab(t, chromium).givesAccount(owner.makesLink(client), "Thandiwe Nkosi", "62001230101")
	owner.charges(client, "Monthly membership", "649.00", site.workingDay(7))

	owner.open("/settings/approvals")
	owner.choose("deletions", "yes")
	owner.submit()
	owner.sees("Saved.")
	owner.looksAt("settings-approvals")

	owner.open("/tokens")
	owner.opensFirst()
	account := owner.address()
	owner.click("Delete token…")
	owner.sees("1 scheduled purchase uses it")
	owner.fill("confirm", "0101")
	owner.set("reason", "She moved to Durban.")
	owner.sees("Leave the purchase unpaid")
	owner.looksAt("ask-approval")
	owner.submit()
	owner.sees("A second approver was asked.")
	owner.sees("You asked for this.")
	owner.looksAt("approval-asked")

	other := site.tab(t, chromium).withoutScripts()
	other.open("/login")
	other.fill("email", second.Email)
	other.fill("password", password)
	other.click("Sign in")
	other.open("/attention")
	other.goes("open the request", chromedp.Click(`main a[href^="/approvals/"]`, byQuery, chromedp.NodeVisible))
	other.sees("She moved to Durban.")
	other.sees("1 scheduled purchase uses it")
	other.set("words", "Agreed, she told me.")
	other.click("Approve: delete 1 token")
	other.sees("It is done on behalf of Nomsa Jacobs.")

	owner.open(account)
	owner.sees("is being deleted.")
	owner.looksAt("token-deleting")
	owner.open("/tokens")
	owner.sees("No token yet")
	owner.looksAt("tokens-deleting")
	owner.open("/clients/" + strings.TrimPrefix(client, "/clients/"))
	owner.looksAt("client-deleting")
	owner.click("Undo")
	owner.sees("The deletion is undone.")
	owner.sees("Active")

	owner.open("/settings/approvals")
	owner.choose("deletions", "yes")
	owner.set("reason", "We are two again after the holidays.")
	owner.submit()
	other.open("/attention") // asking for fewer approvals needs one itself
	other.goes("open the request", chromedp.Click(`main a[href^="/approvals/"]`, byQuery, chromedp.NodeVisible))
	other.sees("We are two again after the holidays.")
	other.click("Approve: ask for fewer approvals")
	other.sees("It is done on behalf of Nomsa Jacobs.")
	owner.open(account)
	owner.click("Delete token…")
	owner.fill("confirm", "0101")
	owner.submit()
	owner.sees("1 token deleted.")
	owner.goes("undo in the toast", chromedp.Click(`[data-toast] form button`, byQuery, chromedp.NodeVisible))
	owner.sees("The deletion is undone.")
	owner.click("Delete token…")
	owner.fill("confirm", "0101")
	owner.submit()
	owner.click("Delete now…")
	owner.sees("This cannot be undone.")
	owner.looksAt("delete-now")
	owner.fill("confirm", "0101")
	owner.submit()
	owner.sees("deleted permanently.")
	owner.open(account)
	owner.loses("is being deleted.")
	owner.open("/approvals")
	owner.sees("Answered, withdrawn and expired")
	owner.looksAt("approvals")
}
