package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/cmd/app"
	"debitdesk/handlers/handlertest"
	"debitdesk/models/bank"
	banksandbox "debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/rulebook/rulebooktest"
	"debitdesk/models/simulation"
)

// limited is the sandbox bank behind a connection that can collect by EFT and nothing else, unless a test lets it.
type limited struct {
	bank.Gateway
	able *bank.Capabilities
}

func (l limited) Name() string                    { return "limited" }
func (l limited) Capabilities() bank.Capabilities { return *l.able }

func (l limited) RequestMandate(ctx context.Context, r bank.MandateRequest) (bank.Receipt, error) {
	if !l.able.DebiCheck || r.Authentication == "REALTIME" && !l.able.RealTimeMandates {
		return bank.Receipt{}, bank.ErrUnable
	}
	return l.Gateway.RequestMandate(ctx, r)
}

func (l limited) Recall(context.Context, uuid.UUID) error        { return bank.ErrUnable }
func (l limited) Contest(context.Context, bank.Proof) error      { return bank.ErrUnable }
func (l limited) CancelMandate(context.Context, uuid.UUID) error { return bank.ErrUnable }
func (l limited) SubmitRefunds(context.Context, []bank.Refund) ([]bank.Receipt, error) {
	return nil, bank.ErrUnable
}

// unable is a business whose bank connection collects by EFT and can do nothing else, at ten o'clock of a working day.
type unable struct {
	cast
	able *bank.Capabilities
	bank *banksandbox.Bank // behind the connection
}

const (
	eftOnly     = "Your bank connection collects by EFT only; it cannot do DebiCheck."
	delayedOnly = "Your bank connection takes delayed requests only."
	noRefunds   = "Your bank connection cannot pay refunds. Pay the client yourself"
	noRecall    = "your bank connection can no longer withdraw it"
	noChecks    = "Your bank connection cannot check accounts."
	noProof     = "Your bank connection cannot send mandates. If the bank asks for proof"
)

func withUnableBank(t *testing.T) unable {
	t.Helper()
	u := unable{able: &bank.Capabilities{}}
	h := handlertest.NewWith(t, func(o *app.Options) {
		by := collection.TimetableBy(rulebooktest.WithProof()) // of a bank that asks for proof
		u.bank = banksandbox.New(banksandbox.Store{DB: o.Store}, o.Store.Now, by, calendar.New())
		o.Gateway, o.Timetable = limited{u.bank, u.able}, &by
		o.Verifier = bank.NoVerifier{}
	})
	u.Server = h
	day := calendar.DateOf(h.Store.Now()).AddDays(7)
	for day.Weekday() != 2 || !h.Purchases.Calendar.IsBusinessDay(day) {
		day = day.AddDays(1)
	}
	u.clock(t, day.At(10, 0))
	u.client = strings.TrimPrefix(add(h, thandi()), "/clients/")
	u.day = h.Purchases.Timetable.EarliestActionDate(h.Purchases.Calendar, h.Store.Now())
	u.token = strings.TrimPrefix(u.capture(t, nil), "/tokens/")
	return u
}

// let makes the connection able to do more, or less.
func (u unable) let(change func(*bank.Capabilities)) {
	change(u.able)
	u.Purchases.Bank = *u.able
}

// clock moves the clock with everything that becomes due on the way.
func (u unable) clock(t *testing.T, to time.Time) {
	t.Helper()
	if _, err := u.Deps.Controls.Controls.Move(t.Context(), u.A.Actor, simulation.ClockMove{Now: to}); err != nil {
		t.Fatal(err)
	}
}

// rows counts everything that an act could leave behind.
func (u unable) rows() int {
	return u.Count(
		`SELECT (SELECT count(*) FROM purchases) + (SELECT count(*) FROM mandates) + (SELECT count(*) FROM collections)
		+ (SELECT count(*) FROM refunds) + (SELECT count(*) FROM mandate_authentications)
		+ (SELECT count(*) FROM audit_entries)
		+ (SELECT count(*) FROM billing_templates)`,
	)
}

// debiCheck is a request of a program.
func (u unable) debiCheck(how, more string) string {
	return fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["debicheck"],"force_recurring":true,
		"purchase":{"currency":"ZAR","language":"en","products":[{"name":"Membership","price":10000}],
		"payment_method_details":{"direct_debit":{"profile_code":"TEST1","abbreviated_name":"TESTMERCH1","account_number":"12345678","deduction_day":1,"period_units":"months",
		"value_type":"FIXED","authentication_type":%q,"do_delayed_on_auth_failure":false,"debit_sequence":"RCUR","adjustment_category":"NEVER",
		"allow_date_adjustment":true,"max_amount_cents":10000%s}}}}`, u.client, u.A.BrandID, how, more)
}

// toBeGiven is a request whose account the client gives on the page.
func (u unable) toBeGiven(how string) string {
	return strings.Replace(u.debiCheck(how, ""), fmt.Sprintf(`"client_id":%q`, u.client),
		`"client":{"email":"later@example.org"}`, 1)
}

// refused sends what the connection cannot do, and looks that nothing came of it.
func (u unable) refused(t *testing.T, send func() handlertest.Answer) handlertest.Answer {
	t.Helper()
	before := u.rows()
	a := send()
	if after := u.rows(); after != before {
		t.Errorf("%d rows before, %d after", before, after)
	}
	return a
}

func (u unable) debit(t *testing.T) (page string, id uuid.UUID) {
	t.Helper()
	page = u.made(t, "due", u.Purchases.Timetable.EarliestActionDate(u.Purchases.Calendar, u.Store.Now()).String())
	return page, uuid.MustParse(strings.TrimPrefix(page, "/purchases/"))
}

func TestWhatTheBankConnectionCannotDoIsSaidBeforeAndRefused(t *testing.T) {
	t.Parallel()
	u := withUnableBank(t)
	t.Run("no DebiCheck", func(t *testing.T) { u.For(t); u.noDebiCheck(t) })
	u.let(func(c *bank.Capabilities) { c.DebiCheck = true })
	t.Run("no real time", func(t *testing.T) { u.For(t); u.noRealTime(t) })
	t.Run("no account checks", func(t *testing.T) { u.For(t); u.noChecks(t) })
	t.Run("no DebiCheck any more", func(t *testing.T) { u.For(t); u.noMore(t) })
	t.Run("no recall, no refund, no proof", func(t *testing.T) { u.For(t); u.noWayBack(t) })
	t.Run("nothing to force", func(t *testing.T) { u.For(t); u.nothingForced() })
}

func (u unable) noDebiCheck(t *testing.T) {
	u.Page(u.A.Staff, "GET", "/mandates/new", nil).Want(http.StatusOK).Contains(eftOnly, `value="eft" checked`)
	u.refused(t, func() handlertest.Answer {
		return u.Page(u.A.Staff, "POST", "/mandates", mandateForm(u.client)).Want(http.StatusUnprocessableEntity)
	}).Contains(eftOnly, `href="#method"`)
	u.refused(t, func() handlertest.Answer { return u.API("POST", "/purchases/", u.debiCheck("DELAYED", "")).Want(400) }).
		WantCode("payment_method_whitelist=invalid_payment_method_whitelist").Contains(eftOnly)
	u.API("GET", "/payment_methods/?currency=ZAR&brand_id="+u.A.BrandID.String(), nil).Want(200).Lacks("debicheck")
	u.Page(u.A.Owner, "GET", "/templates/new", nil).Want(http.StatusOK).Contains(eftOnly)
	u.Page(u.A.Staff, "GET", "/tokens/"+u.token+"/amendment", nil).Want(http.StatusOK).Contains(eftOnly)
}

func mandateForm(client string, pairs ...string) url.Values {
	return cast{client: client}.wanted(pairs...)
}

func (u unable) noRealTime(t *testing.T) {
	u.Page(u.A.Staff, "GET", "/mandates/new", nil).Want(http.StatusOK).Lacks(eftOnly).
		Contains(delayedOnly, `value="debicheck" checked`, `value="DELAYED" checked`)
	u.Page(u.A.Staff, "GET", "/tokens/"+u.token+"/amendment", nil).Want(http.StatusOK).Contains(delayedOnly)
	u.refused(t, func() handlertest.Answer {
		return u.Page(u.A.Staff, "POST", "/mandates", mandateForm(u.client)).Want(http.StatusUnprocessableEntity)
	}).Contains(delayedOnly)
	at := "purchase.payment_method_details.direct_debit.authentication_type"
	u.refused(t, func() handlertest.Answer { return u.API("POST", "/purchases/", u.debiCheck("REALTIME", "")).Want(400) }).
		WantCode(at + "=debicheck_unavailable").Contains(delayedOnly)
	link := u.toBeGiven("REALTIME")
	u.refused(t, func() handlertest.Answer { return u.API("POST", "/purchases/", link).Want(400) }).
		WantCode(at + "=debicheck_unavailable")
	u.let(func(c *bank.Capabilities) { c.RealTimeMandates = true })
	page := "/p/" + u.API("POST", "/purchases/", link).Want(201).Text("id") + "/"
	u.let(func(c *bank.Capabilities) { c.RealTimeMandates = false })
	u.Call("GET", page, nil).Want(http.StatusOK).Contains("by SMS. You have until 20:00 that day.").
		Lacks("keep your phone at hand")
}

func (u unable) noChecks(t *testing.T) {
	u.Page(u.A.Staff, "GET", "/mandates/new", nil).Want(http.StatusOK).Contains(noChecks)
	u.API("POST", "/purchases/", u.debiCheck("DELAYED", `,"verify_account":true`)).Want(201)
	if n := u.Count(`SELECT count(*) FROM account_verifications WHERE passed AND answers->>'exists' = ''`); n != 1 {
		t.Errorf("%d accounts were noted as not checked", n)
	}
}

// noMore: a mandate was set up while the connection could do DebiCheck.
func (u unable) noMore(t *testing.T) {
	made := u.API("POST", "/purchases/", u.debiCheck("DELAYED", "")).Want(201).Text("id")
	if _, err := u.Purchases.Get(t.Context(), u.A.Actor, uuid.MustParse(made)); err != nil {
		t.Fatal(err)
	}
	link := u.API("POST", "/purchases/", u.toBeGiven("DELAYED")).Want(201).Text("id")
	u.let(func(c *bank.Capabilities) { c.DebiCheck = false })
	u.clock(t, u.Store.Now().Add(time.Minute)) // it was not handed over yet
	u.Page(u.A.Staff, "GET", "/mandates/"+made, nil).
		Want(http.StatusOK).
		Contains("Your bank connection cannot ask", eftOnly)
	u.refused(t, func() handlertest.Answer {
		return u.Page(u.A.Staff, "POST", "/mandates/"+made+"/authentications", url.Values{"method": {"DELAYED"}})
	}).Want(http.StatusConflict).Contains(eftOnly)
	u.Call("GET", "/p/"+made+"/", nil).Want(http.StatusOK).Contains("ask Brand a how you can pay")
	u.Call("GET", "/p/"+link+"/", nil).Want(http.StatusOK).Contains("another way to pay")
}

func (u unable) noWayBack(t *testing.T) {
	page, id := u.debit(t)
	rec, err := u.Purchases.Get(t.Context(), u.A.Actor, id)
	if err != nil {
		t.Fatal(err)
	}
	u.Page(u.A.Staff, "GET", page+"/cancellation", nil).Want(http.StatusOK).Contains("the bank has not seen it")
	u.clock(t, rec.Collection.SubmitAt)
	u.Page(u.A.Staff, "GET", page, nil).Want(http.StatusOK).Contains(noRecall).Lacks("It can be recalled")
	u.Page(u.A.Staff, "GET", page+"/cancellation", nil).Want(http.StatusOK).Contains(noRecall)
	u.refused(t, func() handlertest.Answer {
		return u.Page(u.A.Staff, "POST", page+"/cancellation", url.Values{"form_key": {uuid.NewString()}})
	}).Want(http.StatusSeeOther)
	u.Page(u.A.Staff, "GET", page, nil).Contains(noRecall)
	u.refused(t, func() handlertest.Answer { return u.API("POST", "/purchases/"+id.String()+"/cancel/", nil) }).
		Contains(noRecall, "purchase_cancel_wrong_status")

	u.clock(t, rec.Collection.FinalAt.Add(time.Hour))
	u.Page(u.A.Finance, "GET", page+"/refund", nil).Want(http.StatusOK).Contains(noRefunds)
	u.Page(u.A.Finance, "POST", page+"/refund", url.Values{"form_key": {uuid.NewString()}, "amount": {"100"}}).
		Want(http.StatusSeeOther)
	if n := u.Count(
		`SELECT count(*) FROM refunds WHERE state = 'pending' AND channel = 'person' AND NOT handed_over`,
	); n != 1 {
		t.Errorf("%d refunds wait for a person", n)
	}
	u.Page(u.A.Finance, "GET", page, nil).Want(http.StatusOK).Contains(noRefunds, "Record the refund as paid")
	u.Page(u.A.Finance, "POST", page+"/settlement", url.Values{"form_key": {uuid.NewString()}}).Want(http.StatusSeeOther)
	if after, err := u.Purchases.Get(t.Context(), u.A.Actor, id); err != nil || after.RefundedCents != 10000 {
		t.Errorf("refunded %d, %v", after.RefundedCents, err)
	}
	u.clock(t, rec.Collection.DisputeDeadline.AddDays(2).At(12, 0)) // the bank asks for proof
	if err := u.bank.Force(t.Context(), rec.Collection.ID, banksandbox.Outcome{Dispute: "30"}); err != nil {
		t.Fatal(err)
	}
	u.clock(t, u.Store.Now().Add(time.Minute))
	u.Page(u.A.Staff, "GET", page, nil).Want(http.StatusOK).
		Contains("The bank asks for proof of the mandate until", noProof)
}

// nothingForced: the clock and the mails stay, what decides for the sandbox bank is not offered.
func (u unable) nothingForced() {
	u.Page(u.A.Owner, "GET", "/sandbox/clock", nil).Want(http.StatusOK).Contains("Move the clock", "test data only").
		Lacks("/sandbox/desk", "no bank is contacted")
	u.Page(u.A.Owner, "GET", "/sandbox/desk", nil).Want(http.StatusSeeOther)
	u.Page(u.A.Owner, "GET", "/sandbox/mail", nil).Want(http.StatusOK)
	u.Page(u.A.Owner, "GET", "/sandbox/phone", nil).Want(http.StatusOK).Contains("Clients answer at their bank").
		Lacks(`name="answer"`)
	u.Page(u.A.Owner, "GET", "/developers/simulator", nil).
		Want(http.StatusOK).
		Contains("need the sandbox bank", "Wipe test data").
		Lacks("/developers/simulator/scenarios", "/developers/simulator/demo", "Accounts that decide")
	u.Page(u.A.Owner, "POST", "/developers/simulator/scenarios",
		url.Values{"form_key": {uuid.NewString()}, "months": {"1"},
			"clients": {"1"}, "paid": {"100"}, "unpaid": {"0"}, "disputed": {"0"}, "seed": {"1"}}).
		Want(http.StatusConflict).
		Contains("Only the sandbox bank can be told")
}

// A refund that the bank has and gives back no more is neither withdrawn nor recorded as paid: no page offers it.
func TestNothingIsOfferedForARefundAtTheBank(t *testing.T) {
	u := withUnableBank(t)
	page, id := u.debit(t)
	rec, err := u.Purchases.Get(t.Context(), u.A.Actor, id)
	if err != nil {
		t.Fatal(err)
	}
	u.clock(t, rec.Collection.FinalAt.Add(time.Hour))
	u.Page(u.A.Finance, "POST", page+"/refund", url.Values{"form_key": {uuid.NewString()}, "amount": {"100"}}).
		Want(http.StatusSeeOther)
	u.Page(u.A.Finance, "GET", page, nil).Contains(`class="btn primary" href="`+page+`/settlement"`,
		`href="`+page+`/withdrawal"`)
	u.let(func(c *bank.Capabilities) { c.Refunds = true })
	if err := u.Store.Gorm(t.Context()).Exec(
		`UPDATE refunds SET channel = 'bank', handed_over = true WHERE purchase_id = ?`, id).Error; err != nil {
		t.Fatal(err)
	}
	primary := `class="btn primary" href="` + page + `/settlement"`
	u.Page(u.A.Finance, "GET", page, nil).Lacks(primary)
	if err := u.Store.Gorm(t.Context()).Exec(`UPDATE refunds SET handed_over = false WHERE purchase_id = ?`,
		id).Error; err != nil {
		t.Fatal(err)
	}
	u.Page(u.A.Finance, "GET", page, nil).Contains(`href="` + page + `/settlement"`).Lacks(primary)
	if err := u.Store.Gorm(t.Context()).Exec(`UPDATE refunds SET handed_over = true WHERE purchase_id = ?`,
		id).Error; err != nil {
		t.Fatal(err)
	}
	left := true // a bank connection that holds refunds until they leave
	u.Purchases.TakeRefundBack = func(*database.Tx, uuid.UUID, uuid.UUID) (bool, error) { return false, nil }
	u.Purchases.HeldRefunds = func(_ context.Context, _ uuid.UUID, ids []uuid.UUID) ([]uuid.UUID, error) {
		if left {
			return nil, nil
		}
		return ids, nil
	}
	const why = "The bank has this refund and pays it."
	u.Page(u.A.Finance, "GET", page, nil).Want(http.StatusOK).Contains(why).
		Lacks(`href="`+page+`/settlement"`, `href="`+page+`/withdrawal"`)
	for _, act := range []string{"/settlement", "/withdrawal"} {
		u.Page(u.A.Finance, "GET", page+act, nil).Contains(why).Lacks(`action="` + page + act + `"`)
		u.refused(t, func() handlertest.Answer {
			return u.Page(u.A.Finance, "POST", page+act, url.Values{"form_key": {uuid.NewString()}})
		})
	}
	left = false
	u.Page(u.A.Finance, "GET", page, nil).Contains(`href="`+page+`/settlement"`, `href="`+page+`/withdrawal"`)
}
