package prove

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/merchant"
	"debitdesk/models/plan"
)

func (l *lane) meet(ctx context.Context) { l.meetWith(ctx, accounts[l.rand.IntN(len(accounts))]) }

func (l *lane) meetWith(ctx context.Context, account string) {
	n := l.rand.Uint32()
	a := l.post(ctx, "/clients/", l.key(), map[string]any{"email": fmt.Sprintf("client-%d@example.com", n),
		"full_name": "Client " + strconv.Itoa(int(n)), "bank_account": account,
		"bank_code": "470010", "personal_code": "8501015000085", "phone": "27821234567"})
	if id := a.id(); a.ok() && id != "" {
		l.newClients = append(l.newClients, id)
	}
}

func (l *lane) asks(client, method string, cents int64, more map[string]any) map[string]any {
	debit := map[string]any{"profile_code": "TEST1"}
	if method == "debicheck" {
		debit = map[string]any{"profile_code": "TEST1", "deduction_day": 25, "value_type": "VARIABLE",
			"max_amount_cents": cents * 3 / 2, "authentication_type": "DELAYED", "debit_sequence": "RCUR",
			"adjustment_category": "NEVER", "allow_date_adjustment": true}
	}
	out := map[string]any{"client_id": client, "brand_id": l.brand.ID, "payment_method_whitelist": []string{method},
		"purchase": map[string]any{"products": []any{map[string]any{"name": "Membership", "price": cents}},
			"payment_method_details": map[string]any{"direct_debit": debit}}}
	for k, v := range more {
		out[k] = v
	}
	return out
}

func (l *lane) clientFrom() string {
	if len(l.clients) == 0 {
		return l.one(l.newClients)
	}
	return l.one(l.clients)
}

func (l *lane) store(ctx context.Context) { l.storeFor(ctx, l.clientFrom()) }

func (l *lane) storeFor(ctx context.Context, client string) (token string) {
	a := l.post(ctx, "/purchases/", l.key(), l.asks(client, "eft", 0, map[string]any{"force_recurring": true}))
	if id := a.id(); a.ok() && id != "" {
		l.owns(client, id)
		l.newTokens = append(l.newTokens, id)
		return id
	}
	return ""
}

// bill of goods: what a purchase says.
func (l *lane) goods(client string, cents int64, days int, reference string) map[string]any {
	return map[string]any{"client_id": client, "brand_id": l.brand.ID, "reference": reference,
		"due":      l.desk.Store.Now().AddDate(0, 0, days).Unix(),
		"purchase": map[string]any{"products": []any{map[string]any{"name": "Fee", "price": cents}}}}
}

func (l *lane) buy(ctx context.Context) {
	key := l.key()
	body := l.goods(l.clientFrom(), 1000+l.rand.Int64N(50000), 3+l.rand.IntN(10), "")
	began := l.notes.tick()
	a := l.post(ctx, "/purchases/", key, body)
	l.keyed(key, key, began, a)
	if !a.known && l.rand.IntN(4) > 0 { // a program that comes back
		l.on = l.servers[l.rand.IntN(len(l.servers))]
		began, a = l.notes.tick(), l.post(ctx, "/purchases/", key, body)
		l.keyed(key, key, began, a)
	}
}

// buyShared is done by several in a round under one key, most of them with the same body.
func (l *lane) buyShared(ctx context.Context) {
	key, cents := fmt.Sprintf("shared-%d", l.round), int64(5000)
	if l.rand.IntN(4) == 0 {
		cents = 7000
	}
	body := l.goods(l.clients[0], cents, 5, key)
	delete(body, "due") // the same in every body
	began := l.notes.tick()
	l.keyed(key, strconv.FormatInt(cents, 10), began, l.post(ctx, "/purchases/", key, body))
}

func (l *lane) keyed(key, body string, began int64, a answer) {
	out := given{how: unknown}
	if a.ok() {
		out = given{how: done, is: a.id()}
		l.owns(a.field("client_id"), out.is)
		if !slices.Contains(l.newPurchases, out.is) {
			l.newPurchases = append(l.newPurchases, out.is)
		}
	} else if a.says("idempotency_key_reuse") {
		out.how = refused
	} else if a.known {
		l.found("a purchase was refused: %d %.300s", a.status, a.body)
	}
	l.notes.add(l.n, "key", key, began, asked{what: "post", arg: body}, out)
}

// onPurchase notes an act on a purchase where the models can follow.
func (l *lane) onPurchase(id, what string, began int64, a answer) {
	if !l.calm || l.debicheck[id] {
		return
	}
	switch {
	case a.ok():
		l.notes.add(l.n, "purchase", id, began, asked{what: what}, given{how: done})
	case !a.known:
		l.notes.add(l.n, "purchase", id, began, asked{what: what}, given{how: unknown})
	case a.says("purchase_" + what + "_wrong_status"):
		l.notes.add(l.n, "purchase", id, began, asked{what: what}, given{how: refused})
	}
}

func (l *lane) charge(ctx context.Context) {
	id := l.purchase("payable")
	token := l.one(slices.DeleteFunc(slices.Clone(l.tokens), func(t string) bool { return l.ownerOf(t) != l.ownerOf(id) }))
	if id == "" || token == "" {
		return
	}
	began := l.notes.tick()
	a := l.post(ctx, "/purchases/"+id+"/charge/", l.maybe(), map[string]any{"recurring_token": token})
	l.onPurchase(id, "charge", began, a)
	out := given{how: unknown}
	switch {
	case a.ok():
		out.how = done
	case a.says("invalid_recurring_token"):
		out.how = refused
	case a.known:
		return // refused for what is not about the token
	}
	l.notes.add(l.n, "token", token, began, asked{what: "charge", free: l.moved || !l.calm}, out)
}

// maybe is a key of its own, or none.
func (l *lane) maybe() string {
	if key := l.key(); l.rand.IntN(2) == 0 {
		return key
	}
	return ""
}

func (l *lane) step(ctx context.Context, id, what string, body any) {
	if id == "" {
		return
	}
	began := l.notes.tick()
	l.onPurchase(id, what, began, l.post(ctx, "/purchases/"+id+"/"+what+"/", l.maybe(), body))
}

func (l *lane) cancel(ctx context.Context) {
	l.step(ctx, l.purchase("payable", "pending_charge"), "cancel", nil)
}
func (l *lane) mark(ctx context.Context) { l.step(ctx, l.purchase("payable"), "mark_as_paid", nil) }

func (l *lane) refund(ctx context.Context) {
	id := l.purchase("paid", "pending_refund", "refunded")
	if cents := l.rand.Int64N(3000); l.rand.IntN(2) == 0 {
		l.step(ctx, id, "refund", map[string]any{"amount": 1 + cents})
		return
	}
	l.step(ctx, id, "refund", nil)
}

func (l *lane) look(ctx context.Context) {
	id := l.purchase("payable", "pending_charge")
	if id == "" {
		return
	}
	began := l.notes.tick()
	a := l.call(ctx, l.on, http.MethodGet, "/api/v1/purchases/"+id+"/", "", nil)
	if a.known && !a.ok() {
		l.found("purchase %s is gone: %d", id, a.status)
	}
	if l.calm && a.ok() && !l.debicheck[id] {
		l.notes.add(l.n, "purchase", id, began, asked{what: "read"}, given{how: done, is: standing(a.field("status"))})
	}
}

func (l *lane) lookAtToken(ctx context.Context) {
	id := l.one(l.tokens)
	began := l.notes.tick()
	a := l.call(ctx, l.on, http.MethodGet, "/api/v1/purchases/"+id+"/", "", nil)
	out := given{how: refused}
	if a.flag("is_recurring_token") {
		out.how = done
	}
	if a.ok() {
		l.notes.add(l.n, "token", id, began, asked{what: "read", free: l.moved || !l.calm}, out)
	}
}

func (l *lane) forget(ctx context.Context) {
	id := l.one(l.tokens)
	began := l.notes.tick()
	a := l.post(ctx, "/purchases/"+id+"/delete_recurring_token/", "", nil)
	out := given{how: unknown}
	if a.ok() {
		out.how = done
	} else if a.known {
		out.how = refused
	}
	l.notes.add(l.n, "token", id, began, asked{what: "delete"}, out)
}

// changeBrand reads the settings and changes them, as a form does that stands open for a moment.
func (l *lane) changeBrand(ctx context.Context) {
	began := l.notes.tick()
	b, err := l.desk.Merchants.Store.Brand(ctx, l.who.MerchantID, l.brand.ID)
	if err != nil {
		return
	}
	l.notes.add(l.n, "brand", b.ID.String(), began, asked{what: "read"}, given{how: done, is: strconv.Itoa(b.Version)})
	in, seen := b.BrandInput, b.Version
	in.Website = fmt.Sprintf("https://%d.example", l.rand.Uint32())
	began = l.notes.tick()
	b, err = l.change(ctx, seen, in)
	out := given{how: done, is: strconv.Itoa(b.Version)}
	if fault.Is(err, fault.Conflict) {
		out = given{how: refused}
	} else if err != nil {
		out = given{how: unknown}
	}
	l.notes.add(l.n, "brand", l.brand.ID.String(), began, asked{what: "change", arg: strconv.Itoa(seen)}, out)
}

func (l *lane) change(ctx context.Context, seen int, in merchant.BrandInput) (merchant.Brand, error) {
	return l.desk.Merchants.ChangeBrand(ctx, l.who, l.brand.ID, seen, in)
}

// next is the version after one.
func next(version string) string {
	n, _ := strconv.Atoi(version)
	return strconv.Itoa(n + 1)
}

func (l *lane) promise(ctx context.Context) {
	id := l.purchase("payable")
	_, err := l.desk.Followups.AddPromise(ctx, l.who, followup.Object{Type: followup.Purchase, ID: parsed(id)},
		followup.Promising{DueOn: calendar.DateOf(l.desk.Store.Now()).AddDays(1 + l.rand.IntN(9)), Text: "On the day"})
	l.expect("a promise", err)
}

// expect lets a use case refuse, and fail where the faults of the round let it.
func (l *lane) expect(what string, err error) {
	if _, is := fault.From(err); err != nil && !is && l.calm {
		l.found("%s: %v", what, err)
	}
}

func (l *lane) bill(ctx context.Context) {
	body := l.goods("", 2000+l.rand.Int64N(9000), 3+l.rand.IntN(9), "")
	delete(body, "client_id")
	body["clients"] = []any{map[string]any{"client_id": l.one(l.clients)}, map[string]any{"client_id": l.one(l.clients)}}
	a := l.post(ctx, "/billing/", l.key(), body)
	l.newPurchases = append(l.newPurchases, a.ids()...)
}

func (l *lane) open(ctx context.Context) {
	if id := l.one(l.purchases); id != "" {
		l.call(ctx, l.on, http.MethodGet, "/p/"+id+"/", "", nil)
	}
}

func (l *lane) pay(ctx context.Context) {
	id := l.purchase("payable")
	if id == "" {
		return
	}
	form := url.Values{"full_name": {"Thandi Nkosi"}, "id_number": {"8501015000085"}, "phone": {"0821234567"},
		"bank_code": {"470010"}, "account_number": {accounts[l.rand.IntN(len(accounts))]}, "account_type": {"CURRENT"},
		"consent": {"yes"}, "store": {"yes"}}
	l.send(ctx, l.on, http.MethodPost, "/p/"+id+"/", "", "application/x-www-form-urlencoded",
		func() (io.Reader, error) { return strings.NewReader(form.Encode()), nil })
}

// force makes the bank answer about one of the debits that it has.
func (l *lane) force(ctx context.Context) {
	id := l.purchase("pending_charge", "pending_execute", "paid")
	say := []map[string]string{{"code": "00"}, {"code": "02"}, {"code": "12"}, {"dispute": "30"}}[l.rand.IntN(4)]
	if id != "" {
		l.call(ctx, l.on, http.MethodPost, "/sandbox/collections/"+id+"/result", "", say)
	}
}

func (l *lane) ask(ctx context.Context) {
	a := l.post(ctx, "/purchases/", l.key(), l.asks(l.clientFrom(), "debicheck", 1000+l.rand.Int64N(9000),
		map[string]any{"force_recurring": true, "due": l.desk.Store.Now().AddDate(0, 0, 6).Unix()}))
	if id := a.id(); a.ok() && id != "" {
		l.newMandates = append(l.newMandates, id)
	}
}

func (l *lane) answer(ctx context.Context) {
	id, say := l.one(l.mandates), []string{"accept", "accept", "reject", "ignore"}[l.rand.IntN(4)]
	if id != "" {
		l.call(ctx, l.on, http.MethodPost, "/sandbox/mandates/"+id+"/answer", "", map[string]string{"answer": say})
	}
}

func (l *lane) subscribe(ctx context.Context) {
	l.call(ctx, l.on, http.MethodPost, "/billing_templates/"+l.plan+"/add_subscriber/", l.key(),
		map[string]any{"client_id": l.one(l.clients)})
}

// meddle skips, holds, lets go on or ends by hand what the plan does about a purchase.
func (l *lane) meddle(ctx context.Context) {
	do := []plan.ByHand{plan.SkipStep, plan.HoldRun, plan.HoldRun, plan.Resume, plan.Resume, plan.EndRun}[l.rand.IntN(6)]
	until := calendar.Date{}
	if n := l.rand.IntN(6); do == plan.HoldRun && n > 0 {
		until = calendar.DateOf(l.desk.Store.Now()).AddDays(n)
	}
	id := parsed(l.purchase("payable"))
	runs, err := l.desk.Plans.Store.RunsOf(ctx, l.who.MerchantID, id)
	if err != nil || len(runs) == 0 {
		return
	}
	_, err = l.desk.Plans.Do(ctx, l.who, id, runs[0].ID, do, until)
	l.expect("a plan by hand", err)
}

// rest pauses the plan, or lets it go on.
func (l *lane) rest(ctx context.Context) {
	to := []plan.State{plan.Paused, plan.Active, plan.Active}[l.rand.IntN(3)]
	_, err := l.desk.Plans.SetState(ctx, l.who, l.again, to)
	l.expect("the state of the plan", err)
}
