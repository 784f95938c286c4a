package components

import (
	"context"
	"net/http"
)

type permitsKey struct{}

// WithPermits has what is drawn ask whether a method of an address is open to the person
// who looks, before it is offered.
func WithPermits(ctx context.Context, open func(method, address string) bool) context.Context {
	return context.WithValue(ctx, permitsKey{}, open)
}

// MayOpen tells whether the person may go to an address; yes where nobody said otherwise.
func MayOpen(ctx context.Context, address string) bool { return may(ctx, http.MethodGet, address) }

// MayPost tells whether a form that is posted to an address is offered to the person.
func MayPost(ctx context.Context, address string) bool {
	return !LooksOnly(ctx) && may(ctx, http.MethodPost, address)
}

func may(ctx context.Context, method, address string) bool {
	open, said := ctx.Value(permitsKey{}).(func(method, address string) bool)
	return !said || open(method, address)
}

// mayGo tells whether a link is offered. One that leads to a change is not offered to whom
// the form there is refused, which is posted to the same address.
func mayGo(ctx context.Context, href string, changes bool) bool {
	if changes && !MayPost(ctx, href) {
		return false
	}
	return MayOpen(ctx, href)
}

// why is the rule that forbids an item to the person; empty when nothing does.
func (i MenuItem) why(ctx context.Context) string {
	switch {
	case i.Changes && LooksOnly(ctx):
		return "You have read-only access."
	case i.Why != "":
		return i.Why
	case i.Post != "" && !may(ctx, http.MethodPost, i.Post), i.Post == "" && i.Href != "" &&
		!mayGo(ctx, i.Href, i.Changes):
		return "Your role does not allow that."
	}
	return ""
}

// Offered are the items that lead somewhere the person may go.
func Offered(ctx context.Context, items []MenuItem) (out []MenuItem) {
	for _, i := range items {
		if i.why(ctx) == "" {
			out = append(out, i)
		}
	}
	return out
}
