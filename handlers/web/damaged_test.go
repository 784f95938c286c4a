package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
	"debitdesk/models/task"
)

// flip damages the last byte of a sealed value in rows of a table.
func flip(t *testing.T, h *handlertest.Server, table, column, where string) {
	t.Helper()
	tag, err := h.Store.Pool.Exec(t.Context(), "UPDATE "+table+" SET "+column+" = set_byte("+column+", length("+column+
		") - 1, (get_byte("+column+", length("+column+") - 1) + 1) % 256) WHERE length("+column+") > 0 AND "+where)
	if err != nil || tag.RowsAffected() == 0 {
		t.Fatalf("%s.%s: %d rows, %v", table, column, tag.RowsAffected(), err)
	}
}

func bytesOf(t *testing.T, h *handlertest.Server, sql string) (sum string) {
	t.Helper()
	must(t, h.Store.Pool.QueryRow(t.Context(), sql).Scan(&sum))
	return sum
}

func TestASavedViewThatIsDamagedLeavesItsListAndIsNotSealedOver(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	h.Page(h.A.Owner, "POST", "/lists/views", url.Values{"list": {"/purchases"}, "name": {"Mine to chase"},
		"query": {"status=error"}}).Want(http.StatusSeeOther)
	flip(t, h, "list_views", "query_sealed", "true")
	page := h.Page(h.A.Owner, "GET", "/purchases", nil).Want(http.StatusOK).Contains("Mine to chase")
	at := page.Body[strings.Index(page.Body, "view="):]
	h.Page(h.A.Owner, "GET", "/purchases?"+at[:strings.IndexAny(at, `"&`)], nil).Want(http.StatusOK).
		Contains("That saved view cannot be read")
	stored := func() string { return bytesOf(t, h, `SELECT encode(query_sealed, 'hex') FROM list_views`) }
	was := stored()
	id := uuid.MustParse(bytesOf(t, h, `SELECT id::text FROM list_views`))
	_, err := h.Deps.Lists.Service.Change(t.Context(), h.A.Owner.User.Actor(), id, "Chase", true)
	must(t, err)
	if stored() != was {
		t.Error("a view was sealed over what was damaged")
	}
	_, err = h.Deps.Lists.Service.Replace(t.Context(), h.A.Owner.User.Actor(), id, "")
	must(t, err)
	h.Page(h.A.Owner, "GET", "/purchases?view="+id.String(), nil).Want(http.StatusOK).Lacks("cannot be read")
}

func TestARowOfABatchThatIsDamagedIsAProblemAndTheOthersAreSent(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(t, h, "email;full name;amount;due;description\na@example.com;Anna;100,00;2099-03-01;Levy\n"+
		"b@example.com;Ben;100,00;2099-03-01;Levy\nnobody;Cas;100,00;2099-03-01;Levy\n")
	h.Page(h.A.Finance, "POST", at+"/fixes", url.Values{"cause": {"unknown_client"}, "column": {"1"},
		"choice": {"create"}}).Want(http.StatusSeeOther)
	flip(t, h, "batch_rows", "cells", "n IN (3, 4)") // one that was ready, and one that was not
	const stored = `SELECT string_agg(encode(cells, 'hex'), ' ' ORDER BY n) FROM batch_rows WHERE n > 2`
	was := bytesOf(t, h, stored)
	h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK)
	h.Page(h.A.Finance, "POST", at+"/skips", url.Values{"n": {"4"}}).Want(http.StatusSeeOther)
	id := uuid.MustParse(strings.TrimPrefix(at, "/batches/"))
	form := seenBatch(t, h, at)
	form.Set("good_only", "yes")
	h.Page(h.A.Finance, "POST", at+"/start", form).Want(http.StatusSeeOther)
	must(t, h.Batches.Work(t.Context(), id))
	if got := bytesOf(t, h, `SELECT string_agg(n || ' ' || state, ', ' ORDER BY n) FROM batch_rows`); got !=
		"2 sent, 3 failed, 4 skipped" {
		t.Errorf("the rows are %s", got)
	}
	h.Page(h.A.Finance, "GET", at+"/result.csv", nil).Want(http.StatusOK)
	h.Page(h.A.Finance, "GET", at+"/result", nil).Want(http.StatusOK).Contains("cannot be read")
	if bytesOf(t, h, stored) != was {
		t.Error("cells were sealed over what was damaged")
	}
}

func TestARowOfADraftThatIsDamagedSaysSoAndIsTypedAgain(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(t, h, sheetOfTwo)
	flip(t, h, "batch_rows", "cells", "true")
	h.Page(h.A.Finance, "POST", at+"/map", mapping()).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", at+"/check?show=bad", nil).Want(http.StatusOK).Contains("cannot be read")
	for column, text := range []string{"a@example.com", "Anna", "100,00", "2099-03-01", "Levy"} {
		h.Page(h.A.Finance, "POST", at+"/cells", url.Values{"n": {"2"}, "column": {string(rune('0' + column))},
			"text": {text}}, "HX-Request: true").Want(http.StatusOK)
	}
	h.Page(h.A.Finance, "POST", at+"/fixes", url.Values{"cause": {"unknown_client"}, "column": {"1"},
		"choice": {"create"}}).Want(http.StatusSeeOther)
	if got := bytesOf(t, h, `SELECT string_agg(n || ' ' || state, ', ' ORDER BY n) FROM batch_rows`); got !=
		"2 ready, 3 bad" {
		t.Errorf("the rows are %s", got)
	}
}

func mapping() url.Values {
	form := url.Values{}
	for i, field := range []string{"email", "full_name", "amount", "due", "product"} {
		form.Set("column_"+string(rune('0'+i)), field)
	}
	return form
}

func TestAChangeOfRowsThatIsDamagedIsNotUndone(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	at := mapped(t, h, sheetOfTwo)
	h.Page(h.A.Finance, "POST", at+"/skips", url.Values{"n": {"3"}}).Want(http.StatusSeeOther)
	page := h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK)
	flip(t, h, "batch_mends", "was_sealed", "true")
	h.Page(h.A.Finance, "GET", at+"/check", nil).Want(http.StatusOK).Contains("Changes to the rows")
	h.Page(h.A.Finance, "POST", at+"/undo", url.Values{"change": {valueOf(page.Body, "change")}}).
		Want(http.StatusConflict).Contains("This change cannot be undone")
}

func TestATaskThatIsDamagedFailsAndTheOthersGoOn(t *testing.T) {
	h, _ := longList(t)
	first, _ := asked(t, h, h.A.Owner, "/clients/export?format=csv&sort=name")
	flip(t, h, "tasks", "input_sealed", "true")
	second, _ := asked(t, h, h.A.Owner, "/clients/export?format=csv")
	h.Page(h.A.Owner, "GET", "/tasks", nil).Want(http.StatusOK)
	must(t, h.Tasks.TakeUp(t.Context()))
	for id, want := range map[uuid.UUID]task.State{first: task.Failed, second: task.Done} {
		got, err := h.Tasks.Get(t.Context(), h.A.Owner.User.Actor(), id)
		if err != nil || got.State != want {
			t.Errorf("a task is %s, want %s: %v", got.State, want, err)
		}
	}
	h.Page(h.A.Owner, "GET", "/tasks", nil).Want(http.StatusOK).Contains("What was asked for cannot be read")
	flip(t, h, "task_chunks", "content", "true")
	h.Page(h.A.Owner, "GET", "/tasks/"+second.String()+"/file", nil).Want(http.StatusConflict).
		Contains("This file cannot be read")
}

func TestASelectionThatIsDamagedIsOver(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	client := strings.TrimPrefix(add(h, thandi()), "/clients/")
	at := h.Page(h.A.Owner, "POST", "/selections", url.Values{"list": {"clients"}, "id": {client}}).
		Want(http.StatusSeeOther).Header.Get("Location")
	h.Page(h.A.Owner, "GET", at, nil).Want(http.StatusOK).Lacks("This selection is over")
	flip(t, h, "selections", "query_sealed", "true")
	h.Page(h.A.Owner, "GET", at, nil).Want(http.StatusOK).Contains("This selection is over")
}

func TestADocumentOfAMandateThatIsDamagedSaysSo(t *testing.T) {
	k := withAccount(t)
	k.exec(t, `DELETE FROM mandate_evidence`)
	k.addDocument(k.A.Staff, uuid.NewString(), "%PDF-1.7 signed").Want(http.StatusSeeOther)
	flip(t, k.Server, "mandate_evidence", "content", "true")
	page := "/mandates/" + k.token
	k.Page(k.A.Staff, "GET", page, nil).Want(http.StatusOK).Contains("signed later.pdf")
	k.Page(k.A.Staff, "GET", page+"/evidence/"+bytesOf(t, k.Server, `SELECT id::text FROM mandate_evidence`), nil).
		Want(http.StatusConflict).Contains("This file cannot be read")
}

func TestOrdersThatAreDamagedAreDecidedOnTheirFinding(t *testing.T) {
	t.Parallel()
	h := handlertest.New(t)
	day := h.Exchange.Calendar.AddBusinessDays(calendar.DateOf(h.Store.Now()), 5)
	h.Submit(day, 15000, uuid.New())
	flip(t, h, "bank_items", "order_sealed", "true")
	_, _ = h.Exchange.CutNow(t.Context(), h.A.Finance.Actor())
	h.Page(h.A.Finance, "GET", "/bank", nil).Want(http.StatusOK).Contains("Orders cannot be read", "Try again…")
	h.Page(h.A.Finance, "GET", "/bank/items?item_state=damaged", nil).Want(http.StatusOK).Contains("Cannot be read")
	at := "/bank/findings/" + bytesOf(t, h, `SELECT id::text FROM bank_findings WHERE kind = 'damaged_orders'`)
	h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusOK).Contains("1 order for the bank", "Mark as not collected…")
	h.Page(h.A.Finance, "GET", at+"/sending", nil).Want(http.StatusOK).Contains("Try these orders again?")
	h.Page(h.A.Finance, "GET", at+"/dropping", nil).Want(http.StatusOK).Contains("1 item", "count as failed")
	h.Page(h.A.Finance, "POST", at+"/dropping", url.Values{}).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", "/bank", nil).Want(http.StatusOK).Lacks("Orders cannot be read")
	h.Page(h.A.Finance, "GET", at+"/dropping", nil).Want(http.StatusConflict).Contains("No damaged orders are waiting")
}
