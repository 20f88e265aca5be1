package headless

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
)

// order is what a step asks of its agent: its parameters, read.
type order struct {
	client  client.Client
	program string // where it is
	prompt  string
	dir     string
	env     []string
	task    client.Task
	resume  bool
	output  string
	rounds  int
}

// order reads the parameters of a call, now that all their values are known.
func (a *Agent) order(c action.Call) (o order, err error) {
	p := c.Parameters
	if o.prompt, _ = p["prompt"].(string); strings.TrimSpace(o.prompt) == "" {
		return o, fmt.Errorf("the prompt is empty")
	}
	if o.client, o.program, err = a.choose(text(p, "agent")); err != nil {
		return o, err
	}
	if o.dir, err = c.Folder("dir"); err != nil {
		return o, err
	}
	if info, err := os.Stat(o.dir); err != nil || !info.IsDir() {
		return o, fmt.Errorf("the folder %s is not there", o.dir)
	}
	o.output, o.rounds = cmp.Or(text(p, "output"), "auto"), 1
	if n, ok := action.AsNumber(p["rounds"]); ok {
		o.rounds = max(0, int(n))
	}
	o.resume = p["resume"] != false
	o.task = client.Task{Model: text(p, "model"), System: piton.Fence(text(p, "system")), Tools: texts(p["tools"]), Args: texts(p["args"]), Rights: client.Rights(cmp.Or(text(p, "permissions"), string(client.Edit)))}
	switch o.task.Rights {
	case client.Read, client.Edit, client.Full:
	default:
		return o, fmt.Errorf("the permissions are %q, and must be read, edit or full", o.task.Rights)
	}
	if !slices.Contains([]string{"auto", "json", "text"}, o.output) {
		return o, fmt.Errorf("the output is %q, and must be auto, json or text", o.output)
	}
	added := map[string]any{}
	own, _ := p["env"].(map[string]any)
	maps.Copy(added, own)
	for name, v := range c.CheckEnv { // the agent is told the commands of its checks, and may try them
		added[name] = v
	}
	added[agent.GateEnv] = o.gate(c)
	o.env, err = a.environment(c, added)
	return o, err
}

// gate is what the hooks of the client have to know: whether a check of the step that
// runs something follows the stop, and whether the agent can run anything itself.
func (o order) gate(c action.Call) string {
	var words []string
	if slices.ContainsFunc(c.Check, func(x plan.Check) bool { return x.Run != "" || x.Verified }) {
		words = append(words, agent.GateChecked)
	}
	if !o.client.RunsCommands(o.task) {
		words = append(words, agent.GateNoShell)
	}
	return strings.Join(words, " ")
}

// choose finds the client and its program.
func (a *Agent) choose(name string) (client.Client, string, error) {
	if name = cmp.Or(name, a.Default); name != "" {
		i := slices.IndexFunc(a.Clients, func(c client.Client) bool { return c.Name() == name })
		if i < 0 {
			return nil, "", fmt.Errorf("there is no agent %q; there are %s", name, strings.Join(a.names(), ", "))
		}
		program := a.Clients[i].Program().Name
		path, err := a.lookPath(program)
		if err != nil {
			return nil, "", fmt.Errorf("%s is not installed: no program %q in the search path", name, program)
		}
		return a.Clients[i], path, nil
	}
	for _, c := range a.Clients {
		if path, err := a.lookPath(c.Program().Name); err == nil {
			return c, path, nil
		}
	}
	return nil, "", fmt.Errorf("no agent is installed; %s can be used", strings.Join(a.names(), ", "))
}

// environment is what the steps of other actions have too: without the marks of an
// agent's session around it, and with what a step is told.
func (a *Agent) environment(c action.Call, added map[string]any) ([]string, error) {
	tools := action.Tools{}
	for _, x := range a.Clients {
		tools.Marks = append(tools.Marks, x.Marks()...)
	}
	return tools.Environ(c, added)
}

// getenv reads the step's environment.
func (o order) getenv(name string) string {
	for _, line := range slices.Backward(o.env) {
		if v, ok := strings.CutPrefix(line, name+"="); ok {
			return v
		}
	}
	return ""
}

func text(p map[string]any, name string) string {
	s, _ := p[name].(string)
	return s
}

func texts(v any) (list []string) {
	all, _ := v.([]any)
	for _, x := range all {
		list = append(list, plain(x))
	}
	return list
}

func plain(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
