package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Status asks git what is not as in HEAD, untracked files one by one. Where they are more than MaxUntracked, or take git longer
// than Patience, it asks again for their folders only and says so in Bounded. Of submodules only the commits are compared.
func (r Repo) Status(ctx context.Context) (Status, error) {
	t, err := r.open()
	if err != nil {
		return Status{}, err
	}
	return r.status(ctx, t)
}

func (r Repo) status(ctx context.Context, t *tree) (Status, error) {
	r.MaxUntracked = cmp.Or(r.MaxUntracked, maxUntracked)
	r.Patience = cmp.Or(r.Patience, patience)
	if err := t.guard(ctx, r.Patience); err != nil {
		return Status{}, t.orBlocked(ctx, err)
	}
	// Git would run itself in each submodule, with the filters that one's own configuration names; which there are, only the
	// index knows. So their commits are compared, and their content is not looked at.
	args := []string{"status", "--porcelain=v2", "--branch", "--no-ahead-behind", "--ignore-submodules=dirty", "-z"}

	reason := "untracked folders are shown as one entry each, as asked"
	if !r.Folders {
		st, err := t.ask(ctx, r, append(args, "-uall"))
		switch {
		case err == nil && untracked(st) <= r.MaxUntracked:
			return st, nil
		case err == nil, errors.Is(err, errCut):
			reason = fmt.Sprintf("more than %d untracked files; their folders are shown instead", r.MaxUntracked)
		case errors.Is(err, ErrTimeout) && ctx.Err() == nil:
			if named := t.orBlocked(ctx, err); named != err {
				return Status{}, named
			}
			reason = fmt.Sprintf("listing the untracked files took more than %v; their folders are shown instead", r.Patience)
		default:
			return Status{}, err
		}
	}
	r.Patience = limit
	st, err := t.ask(ctx, r, append(args, "-unormal"))
	if err != nil && !errors.Is(err, errCut) {
		return Status{}, t.orBlocked(ctx, err)
	}
	st.Bounded, st.Reason = true, reason
	if n := untracked(st); n > r.MaxUntracked {
		st.Reason = fmt.Sprintf("%d untracked files and folders; the first %d are shown", n, r.MaxUntracked)
		st.Entries = withUntracked(st.Entries, r.MaxUntracked)
	}
	return st, nil
}

// orBlocked is the error of a git that waits, in place of one that says that it took too long, where what it waits for is found.
func (t *tree) orBlocked(ctx context.Context, err error) error {
	if !errors.Is(err, ErrTimeout) || ctx.Err() != nil {
		return err
	}
	if name := t.blocking(search); name != "" {
		return irregularError(t.root, name)
	}
	return err
}

// ask gives with errCut what could be read.
func (t *tree) ask(ctx context.Context, r Repo, args []string) (Status, error) {
	out, err := t.run(ctx, r.Patience, args...)
	if err != nil && !errors.Is(err, errCut) {
		return Status{}, err
	}
	st, malformed := parse(out)
	return st, errors.Join(err, malformed)
}

func untracked(st Status) (n int) {
	for _, e := range st.Entries {
		if e.Code == "??" {
			n++
		}
	}
	return n
}

// withUntracked keeps only the first most untracked entries.
func withUntracked(entries []Entry, most int) []Entry {
	out := entries[:0]
	for _, e := range entries {
		if e.Code == "??" {
			if most--; most < 0 {
				continue
			}
		}
		out = append(out, e)
	}
	return out
}
