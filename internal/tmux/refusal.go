package tmux

// Refusal is what tmux says where it does not do what it was asked: there is no
// such server, or no such pane.
type Refusal struct{ said string }

func (r *Refusal) Error() string { return "tmux: " + r.said }
