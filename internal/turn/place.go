package turn

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// settingsFile is where a project's settings are, relative to its root.
const settingsFile = ".piton.yaml"

// root is the work tree an event belongs to: where the client was started,
// else where it is.
func root(e agent.Event) string {
	for _, dir := range []string{e.ProjectDir, e.Cwd} {
		if !filepath.IsAbs(dir) {
			continue
		}
		if r, _, ok := git.Find(dir); ok {
			return r
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return client.RealPath(dir) // as a work tree's root is
		}
	}
	return ""
}

// process identifies the client's process, where the event tells of it. A server
// that several conversations share outlives each of them, so it is nobody's: the
// process is unknown, and told says that it is now, whatever it was before.
func process(e agent.Event) (p agent.Process, told bool) {
	if e.PID <= 0 && e.Child {
		for _, above := range proc.Ancestors() {
			if clients.Runs(above.Name, above.Argv) == e.Agent {
				if clients.Serves(above.Argv) {
					return p, true
				}
				e.PID = above.PID
				break
			}
		}
	}
	if e.PID <= 0 {
		return p, false
	}
	id, err := proc.Identify(e.PID)
	if err != nil {
		return p, false
	}
	return agent.Process(id), true
}

// opened is the pane of a client that a person has started by 'piton open', as the
// client's own process says; nil for any other. Hooks of a server that many share have
// no such process.
func opened(name string, p agent.Process, at piton.Time) *agent.Pane {
	if p.PID == 0 || proc.Getenv(p.PID, agent.OpenedEnv) == "" {
		return nil
	}
	getenv := func(name string) string { return proc.Getenv(p.PID, name) }
	socket, rest, _ := strings.Cut(getenv("TMUX"), ",")
	number, _, _ := strings.Cut(rest, ",")
	pid, err := strconv.Atoi(number)
	id := getenv("TMUX_PANE")
	if err != nil || socket == "" || id == "" {
		return nil
	}
	server, err := proc.Identify(pid)
	if err != nil {
		return nil
	}
	above := proc.Ancestors()
	i := slices.IndexFunc(above, func(x proc.Ancestor) bool { return x.PID == p.PID })
	// From the client up to the pane's own process there is nothing but the client: one
	// that an agent has started is not the pane's.
	for ; i >= 0 && i+1 < len(above) && clients.Runs(above[i].Name, above[i].Argv) == name; i++ {
		if above[i+1].PID == pid {
			return &agent.Pane{Socket: socket, Server: agent.Process(server), ID: id, Process: agent.Process(above[i].Identity), At: at}
		}
	}
	return nil
}

// Identify finds the project a folder lies in, by its work tree's path first,
// that of its repository's main one next, and its origin's URL last, so that it
// is the same on another machine.
func Identify(ctx context.Context, local store.ProjectStore, dir string, create bool) (piton.Project, error) {
	root, gitDir, ok := git.Find(dir)
	if !ok {
		root = client.RealPath(dir)
	}
	aliases := []piton.Alias{{Kind: piton.AliasPath, Value: root}}
	if named := filepath.Clean(dir); !ok && named != root {
		aliases = append(aliases, piton.Alias{Kind: piton.AliasPath, Value: named}) // so it was known before
	}
	if gitDir != filepath.Join(root, ".git") {
		// Another tree of a repository is the same project.
		if repo := git.RepositoryOf(root); filepath.Base(repo) == ".git" && filepath.Dir(repo) != root {
			aliases = append(aliases, piton.Alias{Kind: piton.AliasPath, Value: filepath.Dir(repo)})
		}
	}
	url := ""
	if ok {
		if url = git.Normalise(git.Origin(gitDir)); url != "" {
			aliases = append(aliases, piton.Alias{Kind: piton.AliasOrigin, Value: url})
		}
	}
	p, err := ByAliases(ctx, local, filepath.Base(root), aliases, create)
	p.Root, p.Origin = root, url
	return p, err
}

// ByAliases finds the project of any of the aliases, or makes one of this name.
func ByAliases(ctx context.Context, local store.ProjectStore, name string, aliases []piton.Alias, create bool) (piton.Project, error) {
	clean := redact.Value(aliases)
	if create {
		return local.Project(ctx, redact.Name(name), clean)
	}
	return local.KnownProject(ctx, clean.Get()) // as they were kept
}
