package checkout_test

import (
	"net/http"
	"testing"

	"debitdesk/handlers/handlertest"
)

// Where personal details are asked for, and as long as the link works, the page says what the law lets the client ask
// for, and leads to where that is done.
func TestThePageTellsOfTheClientsRights(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := "/p/" + subscribedPurchase(t, h) + "/"
	h.Call("GET", at, nil, "Accept: text/html").Want(http.StatusOK).
		Contains("for a copy of your personal details", "object to how they are used", `href="`+at+`rights/"`)
	for _, path := range []string{at + "rights/", at + "rights"} {
		to := h.Call("GET", path, nil).Want(http.StatusSeeOther).Header.Get("Location")
		h.Call("GET", to, nil, "Accept: text/html").Want(http.StatusOK).Contains("link")
	}
	h.Call("GET", "/p/00000000-0000-7000-8000-000000000000/rights/", nil).Want(http.StatusNotFound)
}
