package web_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
	"debitdesk/models/bank/files"
	"debitdesk/models/calendar"
)

var (
	bankMonday   = calendar.On(2027, time.January, 11)
	bankThursday = bankMonday.AddDays(3)
)

// bankServer is a server on a Monday morning.
func bankServer(t *testing.T) *handlertest.Server {
	t.Helper()
	h := handlertest.New(t)
	h.At(bankMonday.At(9, 0))
	return h
}

// post sends a form as finance, and gives the page that it leads to.
func bankPost(h *handlertest.Server, path string, form url.Values) handlertest.Answer {
	if form == nil {
		form = url.Values{}
	}
	sent := h.Page(h.A.Finance, "POST", path, form).Want(http.StatusSeeOther)
	return h.Page(h.A.Finance, "GET", sent.Header.Get("Location"), nil).Want(200)
}

func TestTheOverviewSaysWhatWaitsAndCutNowTakesExactlyThat(t *testing.T) {
	h := bankServer(t)
	h.Page(h.A.Finance, "GET", "/bank", nil).
		Want(200).
		Contains("Nothing is waiting for the bank.", "In 2\u00a0h\u00a0", "11:30\u00a0SAST",
			"There are no open findings.", "No file has been made yet", "Nothing has come from the bank yet")
	h.Page(h.A.Finance, "GET", "/bank/cut", nil).Want(200).Contains("Nothing is waiting for the bank.")
	h.HandOver(3, 15000, bankThursday)
	h.Page(h.A.Finance, "GET", "/bank?block=next", nil).Want(200).Contains("Debits", ">3<", "450,00").Lacks("<html")
	h.Page(h.A.Finance, "GET", "/bank/cut", nil).Want(200).Contains("Debits: 3 items, R", "450,00")
	bankPost(h, "/bank/cut", nil).Contains("1 file was made for the bank.", "DD20270111-000001.txt", "450,00")
	bankPost(h, "/bank/cut", nil).Contains("Nothing is waiting for the bank.")
	if n := h.Count(`SELECT count(*) FROM bank_files_out`); n != 1 {
		t.Errorf("a second click made %d files", n)
	}
}

func TestAFileShowsItsItemsAndLeadsToTheirPurchases(t *testing.T) {
	h := bankServer(t)
	debits, purchases := h.HandOver(3, 15000, bankThursday)
	id := h.CutAndTake()
	h.Arrive("answer", exchangetest.Acknowledged(id), exchangetest.Status(debits[0], "RJCT", "AC04"))
	h.Page(h.A.Reader, "GET", "/bank/files/"+id, nil).Want(200).Contains(id+".txt", "/purchases/"+purchases[0].String(),
		"Nomsa Dlamini", "Failed", "In all 3 items, R", "Acknowledged", "was made for the bank").Lacks(
		"/download", "6200000001")
	h.Page(h.A.Reader, "GET", "/bank/files/"+id+"?outcome=back", nil).Want(200).Contains("1 item, R",
		purchases[0].String()).Lacks(purchases[1].String())
	h.Page(h.A.Finance, "GET", "/bank/files?state=placed", nil).Want(200).Contains("Nothing matches")
	h.Page(h.A.Finance, "GET", "/bank/files?kind=debits&state=acknowledged&from=2027-01-11&to=2027-01-11", nil).Want(200).
		Contains("1 file to the bank", id)
	h.Page(h.A.Staff, "GET", "/bank/files/export?format=csv", nil).Want(200).Contains(id, "450.00")
}

func TestADownloadGivesTheExactBytesAndIsAudited(t *testing.T) {
	h := bankServer(t)
	h.HandOver(2, 15000, bankThursday)
	ids, err := h.Exchange.CutNow(t.Context(), h.A.Finance.Actor())
	if err != nil {
		t.Fatal(err)
	}
	h.Run()
	want := string(h.Box.Out[ids[0]+".txt"])
	got := h.Page(h.A.Finance, "POST", "/bank/files/"+ids[0]+"/download", url.Values{}).Want(200)
	if got.Body != want || !strings.Contains(got.Header.Get("Content-Disposition"), ids[0]+".txt") {
		t.Errorf("%v %q, want %q", got.Header, got.Body, want)
	}
	h.Page(h.A.Staff, "POST", "/bank/files/"+ids[0]+"/download", url.Values{}).Want(http.StatusForbidden)
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'bank.message_downloaded'`); n != 1 {
		t.Errorf("%d downloads are in the audit", n)
	}
	h.Page(h.A.Finance, "GET", "/bank/files/"+ids[0], nil).Want(200).Contains("1 time, last by", "was downloaded")
}

// A file of debits can be had as the tape of the clearing house: of the same orders, noted like any download.
func TestAFileOfDebitsIsDownloadedAsATape(t *testing.T) {
	h := bankServer(t)
	change := func(sql string, args ...any) {
		if _, err := h.Store.Pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	h.HandOver(2, 15000, bankThursday)
	id := h.CutAndTake()
	at := "/bank/files/" + id + "/download/acb"
	h.Page(h.A.Finance, "GET", "/bank/files/"+id, nil).Want(200).Contains(`action="`+at+`"`, "Download as ACB 180 (draft)",
		"no bank has taken a file of this form yet")
	got := h.Page(h.A.Finance, "POST", at, url.Values{}).Want(200)
	lines := strings.Split(strings.TrimSuffix(got.Body, "\r\n"), "\r\n")
	if len(lines) != 7 || !strings.HasPrefix(lines[2], "50051001") || !strings.Contains(lines[2], "6200000001") ||
		!strings.HasPrefix(lines[4], "52051001") || !strings.HasPrefix(lines[5], "92") {
		t.Errorf("%q", lines)
	}
	if name := got.Header.Get("Content-Disposition"); !strings.Contains(name, id+".acb180-draft.txt") {
		t.Error(name)
	}
	h.Page(h.A.Staff, "POST", at, url.Values{}).Want(http.StatusForbidden)
	h.Page(h.B.Finance, "POST", at, url.Values{}).Want(http.StatusNotFound)
	h.Page(h.A.Finance, "POST", "/bank/files/"+id+"/download/other", url.Values{}).Want(http.StatusNotFound)
	if n := h.Count(`SELECT count(*) FROM audit_entries WHERE action = 'bank.message_downloaded' AND text LIKE
		'%was downloaded as ACB 180 (draft).'`); n != 1 {
		t.Errorf("%d downloads are in the audit", n)
	}
	h.Page(h.A.Reader, "GET", "/bank/files/"+id, nil).Want(200).Lacks(at)
	change(`UPDATE bank_file_groups SET method = 'debicheck' WHERE message_id = $1`, id)
	h.Page(h.A.Finance, "GET", "/bank/files/"+id, nil).Want(200).Contains("this form has EFT debits alone").Lacks(at)
	h.Page(h.A.Finance, "POST", at, url.Values{}).Want(http.StatusConflict).Contains("this form has EFT debits alone")
}

func TestEachActOnAFileIsOfferedWhenItIsPossibleAndDoneOnce(t *testing.T) {
	h := bankServer(t)
	h.HandOver(2, 15000, bankThursday)
	if _, err := h.Exchange.CutNow(t.Context(), h.A.Finance.Actor()); err != nil {
		t.Fatal(err)
	}
	h.Run()
	id := "DD20270111-000001"
	file := func() handlertest.Answer { return h.Page(h.A.Finance, "GET", "/bank/files/"+id, nil).Want(200) }
	act := func(path, question, said, again string) {
		t.Helper()
		at := "/bank/files/" + id + "/" + path
		file().Contains(at)
		h.Page(h.A.Staff, "GET", "/bank/files/"+id, nil).Want(200).Lacks(at)
		h.Page(h.A.Staff, "GET", at, nil).Want(http.StatusForbidden)
		h.Page(h.A.Finance, "GET", at, nil).Want(200).Contains(question, "2 items, R")
		bankPost(h, at, nil).Contains(said)
		bankPost(h, at, nil).Contains(again)
		h.Page(h.A.Finance, "GET", at, nil).Want(http.StatusConflict).Contains(again)
		file().Lacks("href=\"" + at)
	}
	act("taken", "Mark the file as taken to the bank?", "The file is marked as taken", "not waiting to be taken")
	h.At(bankMonday.At(10, 21))
	clear(h.Box.Out)
	h.Run()
	h.Page(h.A.Finance, "GET", "/bank", nil).Want(200).Contains("A file was not acknowledged", "/bank/files/"+id+"/again")
	h.Page(h.A.Staff, "GET", "/", nil).
		Want(200).
		Contains("1 finding about the bank’s files is open", "/bank/findings?state=open")
	act("again", "Lay the same file out again?", "The file is laid out again.", "not acknowledged can be laid out again")
	h.Page(h.A.Finance, "GET", "/bank", nil).Want(200).Contains("There are no open findings.")
	h.Run()
	clear(h.Box.Out)
	h.Run()
	h.Arrive("refused", exchange.Event{Kind: exchange.OnMessage, MessageID: id, Status: "RJCT",
		Reasons: []exchange.Reason{{Code: "AG08", Text: "Not agreed"}}})
	file().Contains("The bank refused 2 items, R", "Not agreed (AG08)", "/dropping")
	h.Page(h.A.Finance, "GET", "/bank", nil).Want(200).Contains("A file was refused", id+"/replacement", id+"/dropping")
	act("replacement", "Send the refused items again?", "sent again with the next file",
		"Nothing in this file is waiting for a decision.")
	bankPost(h, "/bank/files/"+id+"/dropping", nil).Contains("Nothing in this file is waiting for a decision.")
	if n := h.Count(`SELECT count(*) FROM bank_items WHERE state = 'waiting'`); n != 2 {
		t.Errorf("%d items wait for the next file", n)
	}
}

func TestAFileAboveTheLimitIsApprovedByAnotherPersonOnItsPage(t *testing.T) {
	h := bankServer(t)
	h.Page(h.A.Owner, "GET", "/settings/approvals", nil).
		Want(200).
		Contains("A file with debits or refunds above this amount")
	h.Page(h.A.Owner, "POST", "/settings/approvals", url.Values{"files": {"yes"}, "files_above": {"x"}}).Want(422)
	h.Page(h.A.Owner, "POST", "/settings/approvals", url.Values{"files": {"yes"}, "files_above": {"100"}}).Want(303)
	cut := func() string {
		h.HandOver(2, 15000, bankThursday)
		ids, err := h.Exchange.CutNow(t.Context(), h.A.Finance.Actor())
		if err != nil {
			t.Fatal(err)
		}
		h.Run()
		return "/bank/files/" + ids[0]
	}
	at := cut()
	h.Page(h.A.Finance, "GET", at, nil).Want(200).
		Contains("Waiting for a second approver", "Someone else has to approve it",
			at+"/refusal").Lacks(`class="btn" href="`+at+"/approval", at+"/download")
	h.Page(h.A.Finance, "GET", at+"/approval", nil).Want(http.StatusConflict).Contains("You cut this file yourself.")
	bankPost(h, at+"/approval", nil).Contains("You cut this file yourself.")
	h.Page(h.A.Staff, "POST", at+"/approval", url.Values{}).Want(http.StatusForbidden)
	h.Page(h.A.Owner, "GET", "/bank", nil).
		Want(200).
		Contains("A file is waiting for a second approver", at+"/approval", at+"/refusal")
	h.Page(h.A.Owner, "GET", at+"/approval", nil).Want(200).Contains("Approve this file?", "2 items, R")
	mailbox := func(address string) { // of the owner; what follows a plus sign is the same mailbox
		if _, err := h.Store.Pool.Exec(t.Context(), `UPDATE users SET email = $2 WHERE id = $1`, h.A.Owner.ID,
			address); err != nil {
			t.Fatal(err)
		}
	}
	own := h.A.Owner.Email
	mailbox(strings.Replace(h.A.Finance.Email, "@", "+owner@", 1))
	h.Page(h.A.Owner, "GET", at+"/approval", nil).Want(http.StatusConflict).Contains("You cut this file yourself.")
	mailbox(own)
	h.Page(h.A.Owner, "POST", at+"/approval", url.Values{}).Want(303)
	bankPost(h, at+"/approval", nil).Contains("has approved this file already.")
	h.Run()
	h.Page(h.A.Owner, "GET", at, nil).Want(200).Contains("Waiting to be taken")

	at = cut()
	h.Page(h.A.Owner, "POST", at+"/refusal", url.Values{}).Want(422).Contains("Say why the file is not approved.")
	h.Page(h.A.Owner, "POST", at+"/refusal", url.Values{"reason": {"Wrong month"}}).Want(303)
	bankPost(h, at+"/refusal", url.Values{"reason": {"Twice"}}).Contains("has refused to approve this file already.",
		"Not approved", "Wrong month", at+"/replacement", at+"/dropping")
	bankPost(h, at+"/replacement", nil).Contains("sent again with the next file")
	h.Page(h.A.Finance, "GET", "/bank", nil).Want(200).Contains("There are no open findings.")
	h.Page(h.A.Owner, "POST", "/settings/approvals", url.Values{"reason": {"December"}}).Want(303)
	if n := h.Count(`SELECT count(*) FROM approvals WHERE kind = 'loosen'`); n != 1 {
		t.Errorf("%d requests to loosen", n)
	}
}

func TestLateDebitsAreDecidedOnceForTheirDay(t *testing.T) {
	for _, send := range []bool{true, false} {
		h := bankServer(t)
		h.At(bankMonday.At(12, 1))
		h.HandOver(2, 15000, bankMonday.AddDays(2)) // the deadline was at noon
		path, question, said := "dropping", "Mark these debits as not collected?",
			"2 late debits were marked as not collected."
		if send {
			path, question, said = "sending", "Send these debits anyway?", "2 late debits leave with the next file."
		}
		page := h.Page(h.A.Finance, "GET", "/bank", nil).Want(200).Contains("Debits missed the cut-off")
		id := cutOut(t, page.Body, "/bank/findings/", "/"+path)
		at := "/bank/findings/" + id + "/" + path
		h.Page(h.A.Finance, "GET", at, nil).Want(200).Contains(question, "2 items, R", "Wed 13 Jan 2027")
		bankPost(h, at, nil).Contains(said, "Settled")
		bankPost(h, at, nil).Contains("No late debits of that day are waiting for a decision.")
	}
}

func cutOut(t *testing.T, text, before, after string) string {
	t.Helper()
	end := strings.Index(text, after)
	if end < 0 {
		t.Fatalf("%q is not there", after)
	}
	begin := strings.LastIndex(text[:end], before)
	if begin < 0 {
		t.Fatalf("%q is not there", before)
	}
	return text[begin+len(before) : end]
}

func TestAFindingIsSettledWithANoteOnce(t *testing.T) {
	h := bankServer(t)
	h.HandOver(1, 15000, bankThursday)
	id := h.CutAndTake()
	h.Arrive(
		"count",
		exchangetest.Acknowledged(id),
		exchange.Event{Kind: exchange.OnMessage, MessageID: id, Status: "ACTC",
			HasCount: true, Count: 2, HasSum: true, SumCents: 1},
	)
	page := h.Page(h.A.Finance, "GET", "/bank/findings?state=open", nil).Want(200).
		Contains("Something in a file does not agree")
	_, rest, _ := strings.Cut(page.Body, `href="/bank/findings/`)
	at := "/bank/findings/" + rest[:len(uuid.Nil.String())]
	h.Page(h.A.Finance, "GET", at, nil).Want(200).Contains("What was done about it", "/bank/files/"+id)
	h.Page(h.A.Staff, "GET", at, nil).Want(200).Lacks("What was done about it")
	h.Page(h.A.Finance, "POST", at+"/settlement", url.Values{"note": {" "}}).
		Want(422).
		Contains("Say what was done about it.")
	bankPost(h, at+"/settlement",
		url.Values{"note": {"The bank corrected it."}}).Contains("The bank corrected it.", "Settled by")
	bankPost(h, at+"/settlement", url.Values{"note": {"Again."}}).Contains("has settled this already.").Lacks("Again.")
	h.Page(h.A.Finance, "GET", "/bank/findings", nil).Want(200).Contains("Open", "Settled")
}

func TestAMovementIsMatchedAfterItWasSaidWhatFollows(t *testing.T) {
	h := bankServer(t)
	debits, purchases := h.HandOver(2, 15000, bankThursday)
	h.Arrive("ack", exchangetest.Acknowledged(h.CutAndTake()))
	n := h.Unmatched(15000, false, bankThursday.AddDays(1))
	at := "/bank/movements/" + n.String() + "/match"
	h.Page(h.A.Finance, "GET", "/bank/movements?state=unmatched", nil).Want(200).Contains("1 movement, ", "150,00", at)
	h.Page(h.A.Staff, "GET", "/bank/movements?state=unmatched", nil).Want(200).Lacks(at)
	h.Page(h.A.Finance, "GET", at, nil).Want(200).Contains(debits[0].String(), debits[1].String(), "Nomsa Dlamini")
	h.Page(h.A.Finance, "GET", at+"?q=nobody", nil).Want(200).Contains("No debit of this amount")
	h.Page(h.A.Finance, "GET", at+"?q=nomsa", nil).Want(200).Contains(debits[0].String())
	h.Page(h.A.Finance, "GET", at+"?item="+debits[0].String(), nil).Want(200).Contains("The debit becomes: failed",
		"Match movement")
	h.Page(h.A.Finance, "GET", at+"?item="+uuid.NewString(), nil).Want(409).Contains("No debit of yours")
	if h.Count(`SELECT count(*) FROM bank_items WHERE outcome <> ''`) != 0 {
		t.Error("asking what follows did it")
	}
	form := url.Values{"item": {debits[0].String()}}
	bankPost(h, at, form).Contains("The movement is matched.", "can be taken back until")
	undo := strings.TrimSuffix(at, "match") + "unmatch"
	bankPost(h, undo, nil).Contains("The match is taken back.", "Unmatched")
	bankPost(h, undo, nil).Contains("was not matched by hand")
	bankPost(h, at, form).Contains("The movement is matched.")
	bankPost(h, at, form).Contains("This movement is matched already.")
	h.Page(h.A.Finance, "GET", "/bank/movements", nil).Want(200).Contains("/purchases/"+purchases[0].String(), "Matched")
	if h.Count(`SELECT count(*) FROM bank_items WHERE outcome = 'unpaid'`) != 1 {
		t.Error("the debit did not fail")
	}
}

func TestAMovementThatNamesTheMandateAloneIsOfItsOnlyDebit(t *testing.T) {
	for _, inText := range []bool{false, true} {
		h := bankServer(t)
		debits, _ := h.HandOver(1, 15000, bankThursday)
		id := h.CutAndTake()
		var contract string
		if err := h.Store.Pool.QueryRow(t.Context(), `SELECT m.contract_reference FROM mandates m
			JOIN collections c ON c.mandate_id = m.id WHERE c.id = $1`, [16]byte(debits[0])).Scan(&contract); err != nil {
			t.Fatal(err)
		}
		back := exchangetest.Booked(debits[0], 15000, false, bankThursday.AddDays(1), "AM04")
		if back.InstructionID = ""; inText {
			back.StatementLine = "PAID BY " + contract + " IN JANUARY"
		} else {
			back.MandateReference = contract
		}
		h.Arrive("back", exchangetest.Acknowledged(id), back)
		if n := h.Count(`SELECT count(*) FROM bank_items WHERE outcome = 'unpaid'`); n != 1 {
			t.Errorf("in the text %v: the debit did not fail", inText)
		}
	}
}

// A tape of returned debits names no ids: the contract reference, the amount and the day say whose debit came back.
func TestATapeOfReturnsFailsItsDebits(t *testing.T) {
	h := bankServer(t)
	debits, _ := h.HandOver(1, 15000, bankThursday)
	id := h.CutAndTake()
	var contract string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT m.contract_reference FROM mandates m
		JOIN collections c ON c.mandate_id = m.id WHERE c.id = $1`, [16]byte(debits[0])).Scan(&contract); err != nil {
		t.Fatal(err)
	}
	h.Arrive("ack", exchangetest.Acknowledged(id))
	h.Exchange.Decoder = files.Decoder{}
	tape := h.Page(h.A.Finance, "POST", "/bank/files/"+id+"/download/acb", url.Values{}).Want(200).Body
	lines := strings.Split(tape, "\r\n")
	back := lines[2]
	back = back[:70] + fmt.Sprintf("%-10s%-14s%-6s", "TESTMERCH1", contract, "270114") + back[100:150] + "36" + back[152:]
	lines[2] = back
	h.At(bankThursday.AddDays(1).At(9, 0))
	h.Box.In["ours.txt"], h.Box.In["unpaids.txt"] = []byte(tape), []byte(strings.Join(lines, "\r\n"))
	h.Run()
	if n := h.Count(`SELECT count(*) FROM bank_items i JOIN bank_answers a ON a.item_id = i.id WHERE i.id = $1
		AND i.outcome = 'disputed' AND a.code = '36'`, [16]byte(debits[0])); n != 1 {
		t.Error("the debit did not fail, with its reason")
	}
	if n := h.Count(`SELECT count(*) FROM bank_entries WHERE item_id = $1 AND state = 'matched' AND NOT credit
		AND booked_on = '2027-01-14'`, [16]byte(debits[0])); n != 1 {
		t.Error("the return is no movement of the debit")
	}
	open := h.Count(`SELECT count(*) FROM bank_findings WHERE closed_at IS NULL`)
	if n := h.Count(`SELECT count(*) FROM bank_findings WHERE closed_at IS NULL AND kind = 'unreadable'
		AND text LIKE '%tape of debits to the bank%'`); n != 1 || open != 1 {
		t.Errorf("%d findings, %d of them about our own tape", open, n)
	}
}

func TestTheReconciliationLeadsToItemsAndMovementsOfTheSameTotal(t *testing.T) {
	h := bankServer(t)
	debits, _ := h.HandOver(4, 15000, bankThursday)
	id := h.CutAndTake()
	friday := bankThursday.AddDays(1)
	h.Arrive("day", exchangetest.Acknowledged(id), exchangetest.Booked(debits[0], 15000, true, bankThursday),
		exchangetest.Booked(debits[1], 15000, true, bankThursday), exchangetest.Booked(debits[2], 15000, true, bankThursday))
	h.At(friday.At(6, 1))
	h.Run() // silence: all four are paid
	h.Arrive("return", exchangetest.Booked(debits[1], 15000, false, friday, "AM04"))
	h.At(bankMonday.AddDays(8).At(12, 0))
	page := h.Page(h.A.Staff, "GET", "/bank/days", nil).
		Want(200).
		Contains("Thu\u00a014\u00a0Jan\u00a02027", "Does not add up",
			"Fri\u00a015\u00a0Jan\u00a02027", "Adds up", "2 bank days")
	for part, total := range map[string]string{"handed_over": "4 items, R 600,00", "acknowledged": "4 items, R 600,00",
		"paid": "4 items, R 600,00", "expected": "4 items, R 600,00"} {
		at := "/bank/items?day=2027-01-14&part=" + part
		page.Contains(strings.ReplaceAll(at, "&", "&amp;"))
		got := h.Page(h.A.Staff, "GET", at, nil).Want(200)
		if text := strings.ReplaceAll(got.Body, "\u00a0", " "); !strings.Contains(text, "In all "+total) {
			t.Errorf("%s does not come to %s: %s", at, total, text)
		}
		if n := strings.Count(got.Body, "main-link"); n != 4 {
			t.Errorf("%s: %d rows", at, n)
		}
	}
	for at, total := range map[string]string{"/bank/items?day=2027-01-15&part=back": "1 item, R 150,00",
		"/bank/items?day=2027-01-15&part=expected":                    "1 item, −R 150,00",
		"/bank/movements?from=2027-01-14&state=matched&to=2027-01-14": "3 movements, R 450,00",
		"/bank/movements?from=2027-01-15&state=matched&to=2027-01-15": "1 movement, −R 150,00"} {
		page.Contains(strings.ReplaceAll(at, "&", "&amp;"))
		got := strings.ReplaceAll(h.Page(h.A.Staff, "GET", at, nil).Want(200).Body, "\u00a0", " ")
		if !strings.Contains(got, "In all "+total) {
			_, foot, _ := strings.Cut(got, "In all ")
			t.Errorf("%s comes to %.40s, want %s", at, foot, total)
		}
	}
	h.Page(h.A.Staff, "GET", "/bank/days?state=differs", nil).Want(200).Contains("1 bank day").Lacks("Adds up</span>")
	h.Page(h.A.Staff, "GET", "/", nil).Want(200).Contains("1 bank day does not add up", "/bank/days?state=differs")
	csv := h.Page(h.A.Staff, "GET", "/bank/days/export?format=csv", nil).Want(200)
	csv.Contains("2027-01-14", "600.00", "-150.00", "Does not add up")
	h.Page(h.A.Staff, "GET", "/bank/days?when=last-7-days", nil).Want(200).
		Contains("2 bank days", "Bank day in the last 7 days")
	h.Page(h.A.Staff, "GET", "/bank/days?when=last-7-days&to=2027-01-14", nil).Want(200).Contains("1 bank day")
	h.Page(h.A.Staff, "GET", "/bank/days?when=last-month", nil).Want(200).
		Contains("No such day").Lacks("Does not add up</")
	h.Page(h.A.Staff, "GET", "/bank/days?from=nonsense&state=x", nil).
		Want(200).
		Contains("is not a date", "is not a state of a day")
	h.Page(h.B.Owner, "GET", "/bank/days", nil).Want(200).Contains("2027").Lacks("600,00", "Thu\u00a014")
}

func TestAFileFromTheBankIsImportedByHandOnce(t *testing.T) {
	h := bankServer(t)
	debits, purchases := h.HandOver(1, 15000, bankThursday)
	id := h.CutAndTake()
	content := exchangetest.Arrival(exchangetest.Acknowledged(id), exchangetest.Status(debits[0], "RJCT", "AC04"))
	h.Page(h.A.Finance, "GET", "/bank/import", nil).Want(200).Contains("at most 20 MB")
	for _, said := range []string{"The file was read.", "This file was imported before"} {
		sent := upload(h, h.A.Finance, "answer.json", content).Want(http.StatusSeeOther)
		h.Page(h.A.Finance, "GET", sent.Header.Get("Location"), nil).
			Want(200).
			Contains("answer.json", "Imported by finance of a", said,
				"/purchases/"+purchases[0].String(), "Failed")
	}
	sent := upload(h, h.A.Finance, "broken.json", []byte("nonsense")).Want(http.StatusSeeOther)
	h.Page(h.A.Finance, "GET", sent.Header.Get("Location"), nil).Want(200).Contains("could not be read", "It is not JSON.")
	upload(h, h.A.Finance, "empty.json", nil).Want(422).Contains("Choose a file from your bank.")
	upload(h, h.A.Staff, "answer.json", content).Want(http.StatusForbidden)
	h.Page(h.A.Staff, "GET", "/bank/received", nil).Want(200).Contains("2 files from the bank", "Rejected", "answer.json")
	h.Page(h.A.Staff, "GET", "/bank/received?state=rejected", nil).
		Want(200).
		Contains("1 file from the bank", "broken.json").
		Lacks("answer.json")
	// Another business that brings the same file has a copy of its own, in which nothing is about it.
	other := upload(h, h.B.Owner, "copy.json", content).Want(http.StatusSeeOther)
	h.Page(h.B.Owner, "GET", other.Header.Get("Location"), nil).Want(200).
		Contains("copy.json", "This file decides nothing about an item of yours.").Lacks("answer.json", "Failed")
	h.Page(h.B.Owner, "GET", "/bank/received", nil).Want(200).Contains("copy.json").Lacks("answer.json")
}

func TestAFileCanBeTriedAndOneThatCouldNotBeReadIsReadAgain(t *testing.T) {
	h := bankServer(t)
	debits, purchases := h.HandOver(1, 15000, bankThursday)
	id := h.CutAndTake()
	content := exchangetest.Arrival(exchangetest.Acknowledged(id), exchangetest.Status(debits[0], "RJCT", "AC04"))
	send(h, h.A.Finance, "/bank/import/trial", "answer.json", content).Want(200).
		Contains("What answer.json would do", "Nothing was changed", "It is of the item "+debits[0].String(),
			"The item becomes: failed, Account closed (12).")
	send(h, h.A.Finance, "/bank/import/trial", "broken.json", []byte("nonsense")).Want(200).
		Contains("The file cannot be read", "It is not JSON.")
	send(h, h.A.Finance, "/bank/import/trial", "empty.json", nil).Want(422).Contains("Choose a file from your bank.")
	send(h, h.A.Staff, "/bank/import/trial", "answer.json", content).Want(http.StatusForbidden)
	send(h, h.B.Owner, "/bank/import/trial", "answer.json", content).Want(200).Lacks("It is of the item")
	if n := h.Count(`SELECT count(*) FROM bank_findings`) + h.Count(`SELECT count(*) FROM bank_files_in`); n != 0 {
		t.Errorf("trying left %d rows", n)
	}
	came := upload(h, h.A.Finance, "answer.json", content).Header.Get("Location")
	h.Page(h.A.Finance, "GET", came, nil).Want(200).Contains(`action="` + came + `/trial"`)
	h.Page(h.A.Finance, "POST", came+"/trial", nil).Want(200).Contains("What answer.json would do", "Nothing was changed",
		"It is of the item "+debits[0].String()).Lacks("The item becomes")
	h.Page(h.A.Staff, "GET", came, nil).Want(200).Lacks("/trial")
	h.Page(h.A.Staff, "POST", came+"/trial", nil).Want(http.StatusForbidden)
	h.Page(h.B.Owner, "POST", came+"/trial", nil).Want(http.StatusNotFound)
	h.Page(h.A.Finance, "GET", "/purchases/"+purchases[0].String(), nil).Want(200).Lacks("Account closed")

	upload(h, h.A.Finance, "broken.json", []byte("nonsense")).Want(http.StatusSeeOther)
	var finding string
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM bank_findings WHERE closed_at IS NULL`).
		Scan(&finding); err != nil {
		t.Fatal(err)
	}
	at := "/bank/findings/" + finding
	h.Page(h.A.Finance, "GET", at, nil).Want(200).Contains("could not be read", at+"/reading")
	h.Page(h.A.Finance, "GET", at+"/reading", nil).Want(200).Contains("Read this file again?")
	h.Page(h.A.Staff, "POST", at+"/reading", url.Values{}).Want(http.StatusForbidden)
	h.Page(h.B.Owner, "POST", at+"/reading", url.Values{}).Want(404)
	bankPost(h, at+"/reading", nil).Contains("The file is read again within a minute.")
	h.Page(h.A.Finance, "GET", at+"/reading", nil).Want(http.StatusConflict).Contains("has settled this already.")
	h.Run()
	h.Page(h.A.Finance, "GET", "/bank/findings?state=open", nil).Want(200).Contains("A file could not be read")
}

func upload(h *handlertest.Server, who handlertest.Person, name string, content []byte) handlertest.Answer {
	return send(h, who, "/bank/import", name, content)
}

func send(h *handlertest.Server, who handlertest.Person, to, name string, content []byte) handlertest.Answer {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("file", name)
	_, _ = part.Write(content)
	_ = form.Close()
	return h.Call("POST", to, body.Bytes(), "Content-Type: "+form.FormDataContentType(), "Cookie: "+who.Cookie,
		"Accept: text/html", "Sec-Fetch-Site: same-origin")
}

func TestWithoutABankThatTakesFilesItsPlacesSaySo(t *testing.T) {
	h := handlertest.New(t, func(h *handlertest.Server) {
		h.Deps.BankFiles, h.Desk.BankFiles, h.Deps.Home.Bank = nil, false, nil
	})
	h.Page(h.A.Owner, "GET", "/", nil).Want(200).Lacks("Bank files", "/bank")
	for _, path := range []string{"/bank", "/bank/files", "/bank/days"} {
		h.Page(h.A.Owner, "GET", path, nil).Want(200).Contains("Your bank is not connected by files here")
	}
	h.Page(h.A.Owner, "GET", "/bank/cut", nil).Want(404)
}

func TestCountsOfTheBanksListsAreTheirRows(t *testing.T) {
	h := bankServer(t)
	for range 3 {
		h.HandOver(1, 15000, bankThursday)
		h.CutAndTake()
	}
	for _, path := range []string{"/bank/files", "/bank/files?state=taken", "/bank/items", "/bank/items?outcome=none"} {
		got := h.Page(h.A.Reader, "GET", path, nil).Want(200)
		if rows := strings.Count(got.Body, "main-link"); rows != 3 ||
			!strings.Contains(got.Body, fmt.Sprintf(">%d<", rows)) &&
				!strings.Contains(got.Body, "3 ") {
			t.Errorf("%s shows %d rows", path, rows)
		}
	}
}
