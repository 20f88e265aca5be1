package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func codexChecks(x *exam) []Check { return []Check{x.codexTrust(), x.codexNotify()} }

// codexPatience is how long Codex may take to list its hooks.
const codexPatience = 15 * time.Second

// codexHook is a hook as `codex app-server` lists it.
type codexHook struct {
	Event   string `json:"eventName"`
	Command string `json:"command"`
	Source  string `json:"sourcePath"`
	Enabled bool   `json:"enabled"`
	Trust   string `json:"trustStatus"` // trusted, untrusted, modified, managed
}

// codexTrust: Codex runs our hooks. That is its user's decision, which Piton only reads.
func (x *exam) codexTrust() Check {
	const name = "hooks approved"
	ours := map[string]string{} // by file: scope
	for _, f := range x.files {
		if len(f.places) > 0 {
			ours[real(f.path)] = f.scope
		}
	}
	if len(ours) == 0 {
		return pass(name, "no hooks, nothing to approve")
	}
	path, err := x.LookPath(x.client.program)
	if err != nil {
		return pass(name, "unknown: "+x.client.program+" is not in PATH")
	}
	listed, err := x.codexHooks(path)
	if err != nil {
		return warn(name, "Codex CLI does not say: "+err.Error(), "look into /hooks in Codex CLI")
	}
	trust, seen := map[string][]string{}, map[string]bool{}
	for _, h := range listed {
		if _, ok := ours[real(h.Source)]; !ok {
			continue
		}
		if _, ok := hookProgram(h.Command); !ok {
			continue
		}
		seen[real(h.Source)] = true
		if !h.Enabled {
			h.Trust = "off"
		}
		trust[h.Trust] = append(trust[h.Trust], h.Event)
	}
	for file, scope := range ours {
		if seen[file] {
			continue
		}
		if x.codexFeatureOff(path) {
			return fail(name, "Codex CLI has its feature hooks switched off", "remove 'hooks = false' from [features] in config.toml")
		}
		if scope == "project" {
			return fail(name, "Codex CLI does not read "+file+": the project is not trusted", "start codex in the project and trust it")
		}
		return fail(name, "Codex CLI does not read "+file, "run 'codex doctor': its settings may be broken")
	}
	switch {
	case len(trust["modified"]) > 0:
		return fail(name, "changed since they were approved, so they do not run: "+strings.Join(trust["modified"], ", "), "approve them in /hooks in Codex CLI")
	case len(trust["untrusted"]) > 0:
		return fail(name, "not approved yet, so they do not run: "+strings.Join(trust["untrusted"], ", "), "approve them in /hooks in Codex CLI")
	case len(trust["off"]) > 0:
		return fail(name, "switched off in Codex CLI: "+strings.Join(trust["off"], ", "), "switch them on in /hooks in Codex CLI")
	}
	return pass(name, fmt.Sprintf("%d by its user", len(trust["trusted"])+len(trust["managed"])))
}

// codexFeatureOff tells whether Codex says that it has hooks switched off.
func (x *exam) codexFeatureOff(path string) bool {
	if x.Run == nil {
		return false
	}
	out, _ := x.Run(x.ctx, []string{path, "features", "list"})
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "hooks" {
			return words[len(words)-1] == "false"
		}
	}
	return false
}

// codexHooks asks `codex app-server` for the hooks of the project, or of the home where there is none.
func (x *exam) codexHooks(path string) ([]codexHook, error) {
	if x.Talk == nil {
		return nil, errors.New("no way to ask")
	}
	folder := x.Project
	if folder == "" {
		folder = x.Home
	}
	folders, _ := json.Marshal(folder)
	var answer struct {
		ID     int `json:"id"`
		Result struct {
			Data []struct {
				Hooks  []codexHook `json:"hooks"`
				Errors []struct {
					Message string `json:"message"`
				} `json:"errors"`
			} `json:"data"`
		} `json:"result"`
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	ctx, cancel := context.WithTimeout(x.ctx, codexPatience)
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
	var hooks []codexHook
	for _, d := range answer.Result.Data {
		if len(d.Errors) > 0 {
			return nil, errors.New(d.Errors[0].Message)
		}
		hooks = append(hooks, d.Hooks...)
	}
	return hooks, nil
}

var notifyKey = regexp.MustCompile(`(?m)^[ \t]*notify[ \t]*=[ \t]*\[([^\]]*)\]`)

// codexNotify: the old way of hearing of a turn's end is not used beside hooks. Its line is a person's: Piton never edits
// config.toml.
func (x *exam) codexNotify() Check {
	const name = "notify"
	path := filepath.Join(x.ConfigDir, "config.toml")
	text, err := read(path)
	if err != nil {
		return warn(name, err.Error(), "make it readable")
	}
	top, _, _ := strings.Cut("\n"+string(text), "\n[") // a table ends the file's own keys
	found := notifyKey.FindStringSubmatch(top)
	if found == nil || !strings.Contains(found[1], hookName) {
		return pass(name, "not used for Piton")
	}
	hooked := slices.ContainsFunc(x.files, func(f source) bool { return len(f.places) > 0 })
	if hooked {
		return warn(name, path+" runs "+hookName+" as notify, beside hooks that say the same and more", "remove that line")
	}
	return warn(name, path+" runs "+hookName+" as notify alone: turns are recorded, and no agent is ever held", x.runInit()+" for hooks, and remove that line")
}
