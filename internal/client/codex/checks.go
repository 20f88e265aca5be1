package codex

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/client"
)

// maxPatience is how long Codex may take to list its hooks.
const maxPatience = 15 * time.Second

// listedHook is a hook as `codex app-server` lists it.
type listedHook struct {
	Event   string `json:"eventName"`
	Command string `json:"command"`
	Source  string `json:"sourcePath"`
	Enabled bool   `json:"enabled"`
	Trust   string `json:"trustStatus"` // trusted, untrusted, modified, managed
}

// hooksApproved: Codex runs our hooks. That is its user's decision, which Piton only reads.
func hooksApproved(x *client.Exam) client.Check {
	const name = "hooks approved"
	ours := map[string]string{} // by file: scope
	for _, f := range x.Files {
		if len(f.Hooks) > 0 {
			ours[client.RealPath(f.Path)] = f.Scope
		}
	}
	if len(ours) == 0 {
		return client.Pass(name, "no hooks, nothing to approve")
	}
	path, err := x.LookPath(program.Name)
	if err != nil {
		return client.Warn(name, "not known, because "+program.Name+" is not in PATH", "put it into PATH, or look into /hooks in Codex CLI")
	}
	if !anyApproved(x) {
		return client.Fail(name, "not approved yet, so they do not run", "start codex and approve them in /hooks")
	}
	if x.Talk == nil {
		return client.Pass(name, "unknown: Codex CLI was not asked")
	}
	listed, err := listHooks(x, path)
	if err != nil {
		return client.Warn(name, "Codex CLI does not say: "+err.Error(), "look into /hooks in Codex CLI")
	}
	trust, seen := map[string][]string{}, map[string]bool{}
	for _, h := range listed {
		if _, ok := ours[client.RealPath(h.Source)]; !ok {
			continue
		}
		if !x.Ours(h.Command) {
			continue
		}
		seen[client.RealPath(h.Source)] = true
		if !h.Enabled {
			h.Trust = "off"
		}
		trust[h.Trust] = append(trust[h.Trust], h.Event)
	}
	for file, scope := range ours {
		if seen[file] {
			continue
		}
		if featureOff(x, path) {
			return client.Fail(name, "Codex CLI has its feature hooks switched off", "remove 'hooks = false' from [features] in config.toml")
		}
		if scope == "project" {
			return client.Fail(name, "Codex CLI does not read "+file+": the project is not trusted", "start codex in the project and trust it")
		}
		return client.Fail(name, "Codex CLI does not read "+file, "run 'codex doctor': its settings may be broken")
	}
	switch {
	case len(trust["modified"]) > 0:
		return client.Fail(name, "changed since they were approved, so they do not run: "+strings.Join(trust["modified"], ", "), "approve them in /hooks in Codex CLI")
	case len(trust["untrusted"]) > 0:
		return client.Fail(name, "not approved yet, so they do not run: "+strings.Join(trust["untrusted"], ", "), "approve them in /hooks in Codex CLI")
	case len(trust["off"]) > 0:
		return client.Fail(name, "switched off in Codex CLI: "+strings.Join(trust["off"], ", "), "switch them on in /hooks in Codex CLI")
	}
	return client.Pass(name, fmt.Sprintf("%d by its user", len(trust["trusted"])+len(trust["managed"])))
}

// anyApproved reports whether the user has ever approved a hook, as far as config.toml says. Where nobody has, Codex is not
// asked: at its first start in a folder it leaves dozens of files there, which whoever asks doctor did not ask for.
func anyApproved(x *client.Exam) bool {
	text, err := x.Read(filepath.Join(x.ConfigDir, "config.toml"))
	return err != nil || strings.Contains(string(text), "trusted_hash")
}

// featureOff reports whether Codex says that it has hooks switched off.
func featureOff(x *client.Exam, path string) bool {
	if x.Run == nil {
		return false
	}
	out, _ := x.Run(x.Context, []string{path, "features", "list"})
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "hooks" {
			return words[len(words)-1] == "false"
		}
	}
	return false
}

// listHooks asks `codex app-server` for the hooks of the project, or of the home where there is none.
func listHooks(x *client.Exam, path string) ([]listedHook, error) {
	folder := cmp.Or(x.Project, x.Home)
	folders, _ := json.Marshal(folder)
	var answer struct {
		ID     int `json:"id"`
		Result struct {
			Data []struct {
				Hooks  []listedHook `json:"hooks"`
				Errors []struct {
					Message string `json:"message"`
				} `json:"errors"`
			} `json:"data"`
		} `json:"result"`
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	ctx, cancel := context.WithTimeout(x.Context, maxPatience)
	defer cancel()
	const hello = `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"piton","title":null,"version":"0"},"capabilities":{"experimentalApi":true}}}` + "\n"
	question := fmt.Sprintf(`{"method":"initialized"}`+"\n"+`{"id":2,"method":"hooks/list","params":{"cwds":[%s]}}`+"\n", folders)
	answered := false
	err := x.Talk(ctx, []string{path, "app-server"}, []byte(hello), func(line []byte) ([]byte, bool) {
		var head struct {
			ID int `json:"id"`
		}
		if json.Unmarshal(line, &head) != nil || head.ID == 0 {
			return nil, false // a notification
		}
		if head.ID == 1 {
			return []byte(question), false
		}
		answered = json.Unmarshal(line, &answer) == nil
		return nil, true
	})
	switch {
	case answered && answer.Error != nil:
		return nil, errors.New(answer.Error.Message)
	case !answered && err != nil:
		return nil, err
	case !answered:
		return nil, errors.New("no answer")
	}
	var hooks []listedHook
	for _, d := range answer.Result.Data {
		if len(d.Errors) > 0 {
			return nil, errors.New(d.Errors[0].Message)
		}
		hooks = append(hooks, d.Hooks...)
	}
	return hooks, nil
}

// notifyUnused: the old way of hearing of a turn's end is not used beside hooks. Its line is a person's, which Piton never
// edits.
func notifyUnused(x *client.Exam) client.Check {
	const name = "notify"
	path := filepath.Join(x.ConfigDir, "config.toml")
	text, err := x.Read(path)
	if err != nil {
		return client.Warn(name, err.Error(), "make it readable")
	}
	top, _, _ := strings.Cut("\n"+string(text), "\n[") // a table ends the file's own keys
	found := regexp.MustCompile(`(?m)^[ \t]*notify[ \t]*=[ \t]*\[([^\]]*)\]`).FindStringSubmatch(top)
	if found == nil || !strings.Contains(found[1], "piton-hook") {
		return client.Pass(name, "not used for Piton")
	}
	hooked := slices.ContainsFunc(x.Files, func(f client.SettingsFile) bool { return len(f.Hooks) > 0 })
	if hooked {
		return client.Warn(name, path+" runs "+"piton-hook"+" as notify, beside hooks that say the same and more", "remove that line")
	}
	return client.Warn(name, path+" runs "+"piton-hook"+" as notify alone: turns are recorded, and no agent is ever held", x.InitHint()+" for hooks, and remove that line")
}
