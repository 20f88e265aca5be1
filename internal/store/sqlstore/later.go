package sqlstore

import "context"

// laterKey marks the context of a statement whose result nobody waits for.
type laterKey struct{}

// later is the context of a statement whose result nobody waits for.
func later(ctx context.Context) context.Context { return context.WithValue(ctx, laterKey{}, true) }

// IsLater tells a driver that nobody waits for the result of a statement. Inside a
// transaction it may travel with the next one, or with the commit, which then fails
// as the statement would have.
func IsLater(ctx context.Context) bool { return ctx.Value(laterKey{}) != nil }
