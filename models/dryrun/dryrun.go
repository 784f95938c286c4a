// Package dryrun knows that a request may be tried: it is answered as if it had
// been done, and nothing of it is kept. It must not know HTTP, SQL or rules.
package dryrun

import "context"

type key struct{}

// With marks everything that is done under ctx as a trial.
func With(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, true) }

// Is tells whether what is done under ctx is a trial.
func Is(ctx context.Context) bool {
	on, _ := ctx.Value(key{}).(bool)
	return on
}
