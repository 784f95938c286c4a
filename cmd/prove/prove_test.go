package prove

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestFaultsAreAListWithCommasAndTheNearestIsNamed(t *testing.T) {
	got, err := ParseFaults("lost, kill,lost")
	if err != nil || Names(got) != "lost,kill" {
		t.Errorf("read %v, %v", got, err)
	}
	if got, err := ParseFaults("none"); err != nil || len(got) != 0 || Names(got) != "none" {
		t.Errorf("none is %v, %v", got, err)
	}
	if all, err := ParseFaults(Names(Faults)); err != nil || len(all) != len(Faults) {
		t.Errorf("all are %v, %v", all, err)
	}
	for text, near := range map[string]string{"kil": "kill", "lost,reorder": "reordered", "non": "none"} {
		if _, err := ParseFaults(text); err == nil || !strings.Contains(err.Error(), `"`+near+`"?`) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// told is one operation of a test: who began when and ended when, and what was said.
type told struct {
	from, to int64
	in       asked
	out      given
}

// Each model explains what may be, and finds the fault that it is there for.
func TestTheModelsFindWhatNoOrderExplains(t *testing.T) {
	is := func(how result, of string) given { return given{how: how, is: of} }
	for _, c := range []struct {
		name, model string
		ops         []told
		holds       bool
	}{
		{"one key, one purchase", "key", []told{{1, 4, asked{what: "post", arg: "a"}, is(done, "1")},
			{2, 3, asked{what: "post", arg: "a"}, is(done, "1")}}, true},
		{"an answer that got lost was done", "key", []told{{1, 2, asked{what: "post", arg: "a"}, is(unknown, "")},
			{3, 4, asked{what: "post", arg: "b"}, is(refused, "")}}, true},
		{"a double submit", "key", []told{{1, 4, asked{what: "post", arg: "a"}, is(done, "1")},
			{2, 3, asked{what: "post", arg: "a"}, is(done, "2")}}, false},
		{"another body under a key", "key", []told{{1, 2, asked{what: "post", arg: "a"}, is(done, "1")},
			{3, 4, asked{what: "post", arg: "b"}, is(done, "1")}}, false},
		{"a key refused to whom it belongs", "key", []told{{1, 2, asked{what: "post", arg: "a"}, is(done, "1")},
			{3, 4, asked{what: "post", arg: "a"}, is(refused, "")}}, false},
		{"a debit beside a deletion", "token", []told{{1, 4, asked{what: "delete"}, is(done, "")},
			{2, 3, asked{what: "charge"}, is(done, "")}}, true},
		{"a debit after a deletion", "token", []told{{1, 2, asked{what: "delete"}, is(done, "")},
			{3, 4, asked{what: "charge", free: true}, is(done, "")}}, false},
		{"a second deletion", "token", []told{{1, 2, asked{what: "delete"}, is(done, "")},
			{3, 4, asked{what: "delete"}, is(done, "")}}, false},
		{"a token that is refused and was not deleted", "token", []told{{1, 2, asked{what: "charge"}, is(refused, "")}}, false},
		{"a token that the bank blocked", "token", []told{{1, 2, asked{what: "charge", free: true}, is(refused, "")}}, true},
		{"a charge and a cancellation at once", "purchase", []told{{1, 4, asked{what: "charge"}, is(done, "")},
			{2, 3, asked{what: "cancel"}, is(done, "")}, {5, 6, asked{what: "read"}, is(done, "cancelled")}}, true},
		{"a double charge", "purchase", []told{{1, 4, asked{what: "charge"}, is(done, "")},
			{2, 3, asked{what: "charge"}, is(done, "")}}, false},
		{"a stale read", "purchase", []told{{1, 2, asked{what: "charge"}, is(done, "")},
			{3, 4, asked{what: "read"}, is(done, "payable")}}, false},
		{"a lost cancellation", "purchase", []told{{1, 2, asked{what: "cancel"}, is(done, "")},
			{3, 4, asked{what: "became"}, is(done, "paid")}}, false},
		{"paid by hand and charged", "purchase", []told{{1, 2, asked{what: "mark_as_paid"}, is(done, "")},
			{3, 4, asked{what: "charge"}, is(done, "")}}, false},
		{"a refusal without a cause", "purchase", []told{{1, 2, asked{what: "cancel"}, is(refused, "")}}, false},
		{"a form that was open for long", "brand", []told{{1, 2, asked{what: "change", arg: "1"}, is(done, "2")},
			{3, 4, asked{what: "change", arg: "1"}, is(refused, "")}}, true},
		{"a lost update of settings", "brand", []told{{1, 4, asked{what: "change", arg: "1"}, is(done, "2")},
			{2, 3, asked{what: "change", arg: "1"}, is(done, "2")}}, false},
		{"settings read as they were", "brand", []told{{1, 2, asked{what: "change", arg: "1"}, is(done, "2")},
			{3, 4, asked{what: "read"}, is(done, "1")}}, false},
	} {
		n := notes{}
		for i, o := range c.ops {
			n.ticks = o.to - 1
			n.add(i, c.model, "it", o.from, o.in, o.out)
		}
		if wrong := n.check(); (len(wrong) == 0) != c.holds {
			t.Errorf("%s: found %q", c.name, wrong)
		}
	}
}

// The same seed draws the same acts on the same things; that is what a history is played again by.
func TestASeedDrawsTheSameActs(t *testing.T) {
	draw := func() (names []string) {
		r := rand.New(rand.NewPCG(7, 4)) //nolint:gosec // it is to repeat itself
		l := &lane{history: &history{purchases: []string{"a", "b", "c"}, stood: map[string]string{"a": "paid"}}, rand: r}
		for range 50 {
			names = append(names, l.draw().name, l.purchase("payable"))
		}
		return names
	}
	if one, two := draw(), draw(); strings.Join(one, " ") != strings.Join(two, " ") {
		t.Errorf("%q and %q", one, two)
	}
}
