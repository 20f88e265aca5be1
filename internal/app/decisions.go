// Package decisions is what callers learn of the judge's decisions at stops: why an agent
// was held, what the rules in force say of recorded turns and logs, how well they score
// against labels, and what holds have cost and caught.
package app

// Decisions are those of the sessions that a caller can reach.
type Decisions struct{ *asker }
