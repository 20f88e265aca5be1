package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/client"
)

// listed is the server's entry in one scope.
type listed struct {
	scope Scope
	file  string
	entry
}

// servers are the entries called piton, the one in force last: a project's takes the place of a person's.
func (x *exam) servers() (list []listed, err error) {
	for _, scope := range []Scope{User, Project} {
		if scope == Project && x.Project == "" {
			continue
		}
		t := x.Target
		t.Scope = scope
		file := x.client.serverFile(t)
		text, err := read(file)
		if err != nil {
			return nil, err
		}
		if e := x.client.serverEntry(t, text); e.there {
			list = append(list, listed{scope, file, e})
		}
	}
	return list, nil
}

// server: the MCP server is registered, is ours, and can be started. program is what starts it, "" where nothing is to be tried.
func (x *exam) server() (check Check, program string) {
	const name = "MCP server"
	list, err := x.servers()
	if err != nil {
		return client.Warn(name, err.Error(), "make it readable"), ""
	}
	if len(list) == 0 {
		return client.Warn(name, "not registered: agents cannot call Piton's tools", x.runInit()+", if it was not left out on purpose"), ""
	}
	e := list[len(list)-1]
	switch {
	case !e.pitons():
		return client.Warn(name, e.file+" has another server called "+client.ServerName, "rename it and "+x.initAgain([]string{string(e.scope)})+", if you want Piton's"), ""
	case e.off:
		return client.Warn(name, "switched off in "+e.file, "remove 'enabled = false' there, if you want it"), ""
	case !filepath.IsAbs(e.command):
		path, err := x.LookPath(e.command)
		if err != nil || e.command != "piton" {
			return client.Fail(name, e.file+" starts "+e.command+", which is not in PATH", "put the folder of piton into PATH"), ""
		}
		return client.Pass(name, e.file), path
	}
	if err := runnable(e.command); err != nil {
		return client.Fail(name, e.file+": "+err.Error(), x.initAgain([]string{string(e.scope)})), ""
	}
	if x.Piton != "" && !sameFile(e.command, x.Piton) {
		check = client.Warn(name, e.file+" starts "+e.command+", not "+x.Piton, x.initAgain([]string{string(e.scope)}))
	} else {
		check = client.Pass(name, e.file)
	}
	if e.scope == Project {
		return check, "" // a project's own path is not run
	}
	return check, e.command
}

// maxAnswer is how long the server may take to list its tools.
const maxAnswer = 10 * time.Second

// serverAnswers: the server starts, and has the tools that agents are to call.
func (x *exam) serverAnswers(program string) Check {
	const name = "MCP answers"
	if program == "" || x.Talk == nil {
		return client.Pass(name, "not tried")
	}
	tools, err := x.listTools(program)
	if err != nil {
		return client.Fail(name, program+" "+strings.Join(serverArgs, " ")+" does not answer: "+err.Error(), "try it: 'piton mcp' waits for input and ends with it; "+"then "+x.runInit())
	}
	for _, tool := range client.ServerTools {
		if !slices.Contains(tools, tool) {
			return client.Warn(name, program+" has no tool "+tool, "install the present version of piton")
		}
	}
	return client.Pass(name, fmt.Sprintf("%d tools", len(tools)))
}

// listTools opens the server and asks for its tools.
func (x *exam) listTools(program string) (tools []string, err error) {
	ctx, cancel := context.WithTimeout(x.ctx, maxAnswer)
	defer cancel()
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"piton doctor","version":"` + x.Version + `"}}}` + "\n"
	const question = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
	var answer struct {
		ID     int
		Error  *struct{ Message string }
		Result struct{ Tools []struct{ Name string } }
	}
	answered := false
	err = x.Talk(ctx, append([]string{program}, serverArgs...), []byte(hello), func(line []byte) ([]byte, bool) {
		answer.ID = 0
		switch {
		case json.Unmarshal(line, &answer) != nil || answer.ID == 0:
			return nil, false // a notification
		case answer.ID == 1 && answer.Error == nil:
			return []byte(question), false
		}
		answered = true
		return nil, true
	})
	switch {
	case answered && answer.Error != nil:
		return nil, errors.New(answer.Error.Message)
	case !answered && err != nil:
		return nil, err
	case !answered:
		return nil, errors.New("it ended without a word")
	}
	for _, tool := range answer.Result.Tools {
		tools = append(tools, tool.Name)
	}
	return tools, nil
}

// serverCalls: agents may call the tools without a question, which nobody answers where there is no person.
func (x *exam) serverCalls() Check {
	const name = "MCP calls"
	list, err := x.servers()
	if err != nil || len(list) == 0 || !list[len(list)-1].pitons() {
		return client.Pass(name, "no server, no calls")
	}
	e := list[len(list)-1]
	allowed, denied := x.calls(e)
	var asked, refused []string
	for _, tool := range client.ServerTools {
		switch {
		case denied(tool):
			refused = append(refused, tool)
		case !allowed(tool):
			asked = append(asked, tool)
		}
	}
	switch {
	case len(refused) > 0:
		return client.Warn(name, "the settings refuse "+strings.Join(refused, ", "), "remove the rules that refuse them, if you want agents to call them")
	case len(asked) > 0:
		hint := x.initAgain([]string{string(e.scope)})
		if x.client.Server.AllowFile != "" {
			hint = x.runInit() // a project has no rules
		}
		return client.Warn(name, "a person is asked first, and without one the call is refused: "+strings.Join(asked, ", "), hint)
	}
	return client.Pass(name, fmt.Sprintf("%d tools without a question", len(client.ServerTools)))
}

// calls reads the rules: which tools are let through, and which are refused.
func (x *exam) calls(e listed) (allowed, denied func(tool string) bool) {
	s := x.client.Server
	never := func(string) bool { return false }
	switch {
	case s.AllowEach:
		return func(tool string) bool { return e.allowed[tool] }, never
	case s.AllowFile != "":
		text, _ := read(x.client.allowFile(x.Target))
		return func(tool string) bool { return strings.Contains(string(text), `"`+tool+`"`) }, never
	}
	in := func(list string, tool string) bool {
		names := append(slices.Clone(s.Allow[:len(s.Allow)-1]), list)
		all := strings.TrimSuffix(s.AllowRule, "__")
		for _, f := range x.files {
			for _, rule := range stringsIn(f.value(f.text, names...)) {
				if rule == s.AllowRule+tool || rule == all || rule == all+"__*" {
					return true
				}
			}
		}
		return false
	}
	return func(tool string) bool { return in(s.Allow[len(s.Allow)-1], tool) },
		func(tool string) bool { return in("deny", tool) }
}
