package subscription_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/subscription"
)

// lettered has a template with so many clients, who are told of a price two at a time.
func lettered(t *testing.T, clients int) (*house, subscription.Template) {
	t.Helper()
	h := open(t)
	h.subs.LettersAtOnce = 2
	tpl := h.template(subscription.Default())
	for range clients {
		h.add(tpl, h.client())
	}
	return h, tpl
}

// die tells of prices in a process that is killed at a step; false: it came to its end before.
func (h *house) die(at int) bool {
	h.t.Helper()
	h.life = &life{last: at}
	err := h.subs.TellPrices(ctx)
	h.life = nil
	if err != nil && !errors.Is(err, errKilled) {
		h.t.Fatal(err)
	}
	return err != nil
}

func (h *house) letters(change uuid.UUID) int64 {
	h.t.Helper()
	if n := h.number(`SELECT count(*) - count(DISTINCT client_id) FROM mails WHERE object_id = $1`, change); n != 0 {
		h.t.Errorf("%d letters too many", n)
	}
	return h.number(`SELECT count(*) FROM mails WHERE object_id = $1 AND kind = 'price_changed'`, change)
}

func (h *house) told(t subscription.Template) subscription.Told {
	h.t.Helper()
	n, err := h.subs.ToldOf(ctx, t)
	must(h.t, err)
	return n
}

func TestEachClientIsToldOfAPriceOnceWhateverIsKilled(t *testing.T) {
	t.Parallel()
	const clients = 5
	h, tpl := lettered(t, clients)
	in := subscription.PriceInput{From: day(time.March, 15), Prices: []int64{12000}}
	p := h.changePrice(tpl, in)
	if n := h.told(tpl); p.Clients != clients || n != (subscription.Told{Of: clients}) {
		t.Errorf("%d are told, and %+v were", p.Clients, n)
	}
	between := false
	for at := 1; h.die(at); at++ { // ever later
		n := h.told(tpl)
		if got := h.letters(p.Change.ID); got != int64(n.Told) {
			t.Errorf("%d letters, and the page says %d", got, n.Told)
		}
		between = between || n.Told > 0 && n.Left()
	}
	if !between {
		t.Error("they left in one transaction")
	}
	if n := h.letters(p.Change.ID); n != clients || h.told(tpl).Left() {
		t.Errorf("%d letters to %d clients: %+v", n, clients, h.told(tpl))
	}
}

// One worker comes by while the other has written its letters and not ended its transaction.
func TestTwoWorkersTellEachClientOfAPriceOnce(t *testing.T) {
	t.Parallel()
	const clients = 9
	h, tpl := lettered(t, clients)
	p := h.changePrice(tpl, subscription.PriceInput{From: day(time.March, 15), Prices: []int64{12000}})
	h.die(3) // after two of them
	slow, quick := h.worker(), h.worker()
	slow.LettersAtOnce, quick.LettersAtOnce = 2, 2
	var meanwhile sync.Once
	slow.InTx = func(in context.Context, fn func(*database.Tx) error) error {
		return h.subs.InTx(in, func(tx *database.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			meanwhile.Do(func() {
				soon, done := context.WithTimeout(ctx, 20*time.Second)
				defer done()
				over := make(chan error)
				go func() { over <- quick.TellPrices(soon) }() // another process has connections of its own
				if err := <-over; err != nil {
					t.Error(err)
				}
			})
			return nil
		})
	}
	must(t, slow.TellPrices(ctx))
	if n := h.letters(p.Change.ID); n != clients || h.told(tpl).Left() {
		t.Errorf("%d letters to %d clients", n, clients)
	}
}

func TestWhoWasNotToldOfAPriceDoesNotHearThatItStays(t *testing.T) {
	t.Parallel()
	h, tpl := lettered(t, 5)
	in := subscription.PriceInput{From: day(time.March, 15), Prices: []int64{12000}}
	first := h.changePrice(tpl, in).Change.ID
	h.die(3) // after the first two
	in.Prices = []int64{13000}
	second := h.changePrice(tpl, in).Change.ID // and nobody hears of it before it is withdrawn
	in.Prices = []int64{10000}
	if planned := h.planPrice(tpl, in); planned.Clients != 2 {
		t.Errorf("the page says %d", planned.Clients)
	}
	p := h.changePrice(tpl, in)
	must(t, h.subs.TellPrices(ctx))
	for change, want := range map[uuid.UUID]int64{first: 2, second: 0, p.Change.ID: 2} {
		if n := h.letters(change); n != want {
			t.Errorf("%d letters, want %d", n, want)
		}
	}
	if n := h.number(`SELECT count(*) FROM mails m WHERE object_id = $1 AND client_id IN
		(SELECT client_id FROM mails WHERE object_id = $2)`, p.Change.ID, first); p.Clients != 2 || n != 2 {
		t.Errorf("%d of %d who were told hear that it stays", n, p.Clients)
	}
	if n := h.number(`SELECT count(*) FROM price_letters WHERE change_id = $1 AND words -> 0 ->> 'was' = '12000'`,
		p.Change.ID); n != 2 {
		t.Errorf("%d read of the price that they were told", n)
	}
}
