package postgres

import "time"

// Options tune the opening; the zero value is for people's programs.
type Options struct {
	// Wait is how long a writer waits for the others, and for the answer to a
	// commit that was cut off; 10 s when 0.
	Wait time.Duration
	// Connect is how long one host may take to answer, unless the address says
	// so itself (connect_timeout); 5 s when 0.
	Connect time.Duration
	// Silence is how long the server may say nothing to a statement before it is
	// asked over another connection whether it is there; 15 s when 0.
	Silence time.Duration
	// Conns is the most connections at once; 8 when 0.
	Conns int
	// Idle is the most connections that are kept while nobody needs them; Conns when 0.
	Idle int
	// Lost is told that a connection was lost while nobody used it, or could not be
	// made; nil: nobody is.
	Lost func()
	// Existing opens what is there and makes nothing; NotFound when nothing
	// was saved there yet.
	Existing bool
	// Plain: states are stored as they are, not compressed.
	Plain bool
}

func (o Options) wait() time.Duration {
	if o.Wait == 0 {
		return 10 * time.Second
	}
	return o.Wait
}

func (o Options) connect() time.Duration {
	if o.Connect == 0 {
		return 5 * time.Second
	}
	return o.Connect
}

func (o Options) silence() time.Duration {
	if o.Silence == 0 {
		return 15 * time.Second
	}
	return o.Silence
}

func (o Options) conns() int {
	if o.Conns == 0 {
		return 8
	}
	return o.Conns
}

func (o Options) idle() int {
	if o.Idle == 0 {
		return o.conns()
	}
	return o.Idle
}

func (o Options) lost() {
	if o.Lost != nil {
		o.Lost()
	}
}
