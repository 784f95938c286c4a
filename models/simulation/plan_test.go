package simulation

import (
	"reflect"
	"testing"
)

func TestShares_come_to_the_number_and_the_largest_remainders_get_the_rest(t *testing.T) {
	for _, c := range []struct {
		n        int
		percents []int
		want     []int
	}{
		{60, []int{92, 5, 2, 1}, []int{55, 3, 1, 1}}, // 55.2 3.0 1.2 0.6
		{1, []int{50, 50}, []int{1, 0}},              // the earlier one where two are alike
		{3, []int{33, 33, 34}, []int{1, 1, 1}},
		{150, []int{92, 5, 2, 1}, []int{138, 8, 3, 1}}, // 138 7.5 3 1.5
		{10, []int{100, 0, 0}, []int{10, 0, 0}},
		{7, []int{0, 0, 100}, []int{0, 0, 7}},
	} {
		got := shares(c.n, c.percents...)
		sum := 0
		for _, n := range got {
			sum += n
		}
		if sum != c.n {
			t.Errorf("%d by %v comes to %d", c.n, c.percents, sum)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d by %v is %v, want %v", c.n, c.percents, got, c.want)
		}
	}
}

func TestA_plan_is_the_same_for_the_same_seed_and_another_for_another(t *testing.T) {
	ask := Ask{Months: 3, Clients: 20, Paid: 92, Unpaid: 5, Disputed: 1, Seed: 7}
	first, again := ask.plan(), ask.plan()
	if !reflect.DeepEqual(first, again) {
		t.Error("the same seed played otherwise")
	}
	ask.Seed = 8
	if reflect.DeepEqual(first, ask.plan()) {
		t.Error("another seed played the same")
	}
}

func TestA_plan_debits_every_client_once_a_month_and_holds_what_was_wanted(t *testing.T) {
	for seed := range int64(40) {
		ask := Ask{Months: 1 + int(seed%3), Clients: 1 + int(seed*7%50), Paid: int(seed * 2), Unpaid: int(seed) / 2,
			Disputed: 1, Seed: seed}
		seen, ends := map[[2]int]int{}, map[outcome]int{}
		for _, s := range ask.plan() {
			seen[[2]int{s.client, s.month}]++
			ends[s.ends]++
		}
		if len(seen) != ask.Months*ask.Clients {
			t.Fatalf("seed %d: %d of %d", seed, len(seen), ask.Months*ask.Clients)
		}
		got := Tally{Made: len(seen), Paid: ends[pays], Unpaid: ends[noFunds], Other: ends[otherCode],
			Disputed: ends[disputes]}
		if got != ask.wanted() || !got.AddsUp() {
			t.Errorf("seed %d: %+v, want %+v", seed, got, ask.wanted())
		}
	}
}

func TestAsk_has_both_sides_of_each_limit(t *testing.T) {
	fine := Ask{Months: 3, Clients: 50, Paid: 98, Unpaid: 1, Disputed: 1}
	if err := fine.check(Scenario); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Ask){
		"no month": func(a *Ask) { a.Months = 0 }, "four months": func(a *Ask) { a.Months = 4 },
		"no client":  func(a *Ask) { a.Clients = 0 },
		"51 clients": func(a *Ask) { a.Clients = 51 }, "101 %": func(a *Ask) { a.Paid = 99 },
		"less than none": func(a *Ask) { a.Disputed = -1 }, "a negative seed": func(a *Ask) { a.Seed = -1 },
	} {
		bad := fine
		change(&bad)
		if bad.check(Scenario) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if err := (Ask{Clients: 1}).check(Demo); err != nil {
		t.Errorf("a demo needs no months: %v", err)
	}
}
