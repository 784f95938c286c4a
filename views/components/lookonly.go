package components

import "context"

type lookOnlyKey struct{}

// LookOnly marks what is drawn for a person who changes nothing: buttons and acts
// that lead to a change (Changes) are left out.
func LookOnly(ctx context.Context) context.Context {
	return context.WithValue(ctx, lookOnlyKey{}, true)
}

// LooksOnly tells whether that is so.
func LooksOnly(ctx context.Context) bool {
	only, _ := ctx.Value(lookOnlyKey{}).(bool)
	return only
}
