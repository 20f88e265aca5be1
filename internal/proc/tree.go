package proc

import (
	"context"
	"slices"
	"time"
)

// Tree is a process and all below it, it first, parents before their children;
// empty where there is none.
func Tree(root int) []Node { return below(root, processes()) }

// below picks a tree out of all processes.
func below(root int, all []Node) []Node {
	i := slices.IndexFunc(all, func(n Node) bool { return n.PID == root })
	if i < 0 || root <= 0 || all[i].ended {
		return nil
	}
	list := []Node{all[i]}
	for at := 0; at < len(list); at++ {
		for _, n := range all {
			if n.Parent == list[at].PID && n.PID != n.Parent && !slices.ContainsFunc(list, func(x Node) bool { return x.PID == n.PID }) {
				list = append(list, n)
			}
		}
	}
	return list
}

// pause is how often processes that are ending are looked at.
const pause = 20 * time.Millisecond

// EndTree ends a process and all below it: it asks the process itself to end, and
// waits for it as long as polite; then it asks what is left of its tree, waits as
// long as firm, and kills the rest. What has left the tree meanwhile is still known
// by its identity; one that cannot be told from another with the same number is
// left alone. It returns how many have ended, how many of these were killed, and
// what did not end.
func EndTree(ctx context.Context, root Identity, polite, firm time.Duration) (ended, killed int, left []Identity) {
	known := map[Identity]bool{}
	look := func() (alive []Identity) {
		all := processes()
		for id := range known {
			if i := slices.IndexFunc(all, func(n Node) bool { return n.PID == id.PID }); i < 0 || all[i].ended || all[i].Start != id.Start {
				continue
			}
			for _, n := range below(id.PID, all) {
				known[n.Identity] = true
			}
		}
		for id := range known {
			if slices.ContainsFunc(all, func(n Node) bool { return n.Identity == id && !n.ended }) {
				alive = append(alive, id)
			}
		}
		return alive
	}
	wait := func(most time.Duration, done func(alive []Identity) bool) []Identity {
		alive := look()
		for end := time.Now().Add(most); !done(alive) && time.Now().Before(end) && ctx.Err() == nil; alive = look() {
			time.Sleep(pause)
		}
		return alive
	}
	none := func(alive []Identity) bool { return len(alive) == 0 }
	known[root] = true
	if alive := look(); !slices.Contains(alive, root) {
		return 0, 0, nil
	}
	_ = terminate(root.PID)
	alive := wait(polite, func(alive []Identity) bool { return !slices.Contains(alive, root) })
	if len(alive) > 0 && ctx.Err() == nil {
		for _, id := range alive {
			_ = terminate(id.PID)
		}
		alive = wait(firm, none)
	}
	for range 3 { // one may have begun another just before it was killed
		if len(alive) == 0 {
			break
		}
		for _, id := range alive {
			if kill(id.PID) == nil {
				killed++
			}
		}
		alive = wait(firm, none)
	}
	return len(known) - len(alive), killed, alive
}
