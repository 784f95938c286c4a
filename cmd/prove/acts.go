package prove

import (
	"context"
	"fmt"
	"net/http"
	"slices"
)

// act is something that somebody does.
type act struct {
	name  string
	often int  // among the others
	calm  bool // it changes nothing but what it says, so that the models can follow
	do    func(*lane, context.Context)
}

var acts = []act{
	{"a client comes", 1, true, (*lane).meet},
	{"an account is stored", 2, true, (*lane).store},
	{"a purchase is made", 4, true, (*lane).buy},
	{"a purchase is made under a shared key", 3, true, (*lane).buyShared},
	{"a purchase is charged", 10, true, (*lane).charge},
	{"a purchase is cancelled", 3, true, (*lane).cancel},
	{"a purchase is marked as paid", 2, true, (*lane).mark},
	{"a purchase is looked at", 3, true, (*lane).look},
	{"a token is looked at", 2, true, (*lane).lookAtToken},
	{"the brand is changed", 2, true, (*lane).changeBrand},
	{"a client promises to pay", 1, true, (*lane).promise},
	{"clients are billed", 1, true, (*lane).bill},
	{"a page is opened", 1, true, (*lane).open},
	{"a token is deleted", 3, false, (*lane).forget},
	{"money goes back", 4, false, (*lane).refund},
	{"the bank is told what to answer", 4, false, (*lane).force},
	{"a client pays by the page", 2, false, (*lane).pay},
	{"a mandate is asked for", 2, true, (*lane).ask},
	{"a client answers", 3, false, (*lane).answer},
	{"a client subscribes", 1, false, (*lane).subscribe},
	{"someone meddles with what a plan does", 3, false, (*lane).meddle},
	{"the plan rests or goes on", 1, false, (*lane).rest},
}

// act draws one and does it.
func (l *lane) act(ctx context.Context) {
	a := l.draw()
	l.did("lane %d: %s", l.n+1, a.name)
	a.do(l, ctx)
}

func (l *lane) draw() (drawn act) {
	all := 0
	for _, a := range acts {
		if !a.calm && l.calm {
			continue
		}
		if all += a.often; l.rand.IntN(all) < a.often { // each with the chance that it has among those so far
			drawn = a
		}
	}
	return drawn
}

func (l *lane) one(of []string) string {
	if len(of) == 0 {
		l.rand.Uint32()
		return ""
	}
	return of[l.rand.IntN(len(of))]
}

// purchase is mostly one that stood in one of these classes when the round began, and often one of the newest, so
// that several act on the same one.
func (l *lane) purchase(classes ...string) string {
	some := slices.DeleteFunc(slices.Clone(l.purchases), func(id string) bool {
		class := l.stood[id]
		if class == "" {
			class = "payable"
		}
		return !slices.Contains(classes, class)
	})
	if l.rand.IntN(5) == 0 || len(some) == 0 {
		some = l.purchases
	}
	if newest := len(some) - 3; newest > 0 && l.rand.IntN(2) == 0 {
		some = some[newest:]
	}
	return l.one(some)
}

func (l *lane) post(ctx context.Context, path, key string, body any) answer {
	return l.call(ctx, l.on, http.MethodPost, "/api/v1"+path, key, body)
}

// key is one that nobody else uses.
func (l *lane) key() string { return fmt.Sprintf("own-%d-%d", l.n, l.rand.Uint64()) }
