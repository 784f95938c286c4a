package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
)

// flip damages the last byte of a sealed value in each row of a table.
func flip(t *testing.T, h *handlertest.House, table, column string) {
	t.Helper()
	tag, err := h.Store.Pool.Exec(t.Context(), "UPDATE "+table+" SET "+column+" = set_byte("+column+", length("+column+
		") - 1, (get_byte("+column+", length("+column+") - 1) + 1) % 256) WHERE length("+column+") > 0")
	if err != nil || tag.RowsAffected() == 0 {
		t.Fatalf("%s.%s: %d rows, %v", table, column, tag.RowsAffected(), err)
	}
}

// One damaged value marks what it belongs to, and nothing else fails because of it.

func TestAnAnswerThatIsDamagedIsNotGivenAndStopsNoErasure(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	make := func(email string) handlertest.Answer {
		return h.Call("POST", "/api/v1/clients/", map[string]any{"email": email, "full_name": "Thandi Nkosi"},
			"Authorization: Bearer "+h.A.Token, "Idempotency-Key: one")
	}
	id := make("thandi@example.com").Want(http.StatusCreated).Text("id")
	flip(t, h, "idempotency_keys", "body")
	make("thandi@example.com").Want(http.StatusBadRequest).Contains("can no longer be read")
	h.Page(h.A.Owner, "POST", "/clients/"+id+"/erasure", url.Values{"confirm": {"ERASE"}}).Want(http.StatusSeeOther)
	h.Page(h.A.Owner, "GET", "/clients", nil).Want(http.StatusOK).Lacks("Thandi Nkosi")
}
