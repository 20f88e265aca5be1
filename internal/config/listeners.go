package config

import (
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/agent"
)

// Bounds of the listeners: each event is told to all of them.
const (
	maxListeners = 20
	maxShown     = 100 // bytes of a wrong value
)

// isListenerName reports whether a name is one that a log, a table and a variable
// can hold.
func isListenerName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return name != "" && len(name) <= 64 && strings.Trim(name, letters) == ""
}

// listenersKey is where the programs and servers stand that are told of agents.
const listenersKey = "listeners"

// listenerKeys is the setting listeners. What a listener runs is run unasked, and
// what it is sent leaves the machine, so that a project's file needs trust.
func listenerKeys() []key {
	return []key{{name: listenersKey, scope: needsTrust, codec: listeners()}}
}

// listeners reads the list: those of a layer come behind those before; one of the
// same name takes its place. A bad one is left out, the others count.
func listeners() codec {
	return codec{
		adds: true,
		get:  func(c *Config) any { return shownListeners(c.Listeners) },
		list: func(c *Config, n *yaml.Node, l layer) (bool, []error) {
			s := strict{l.lines}
			var errs []error
			seen := map[string]bool{}
			list := slices.Clone(c.Listeners)
			for _, item := range items(n) {
				x, err := listener(item, s)
				switch {
				case err != nil:
				case seen[x.Name]:
					err = s.errorf(item, "there are two listeners with the name %q", x.Name)
				case len(list) >= maxListeners && !slices.ContainsFunc(list, func(y agent.Listener) bool { return y.Name == x.Name }):
					err = s.errorf(item, "there are more than %d listeners", maxListeners)
				}
				if err != nil {
					errs = append(errs, err)
					continue
				}
				seen[x.Name] = true
				list = append(slices.DeleteFunc(list, func(have agent.Listener) bool { return have.Name == x.Name }), x)
			}
			c.Listeners = list
			return len(seen) > 0, errs
		},
	}
}

// listener reads one.
func listener(n *yaml.Node, s strict) (x agent.Listener, err error) {
	if n.Kind != yaml.MappingNode {
		return x, s.errorf(n, "a listener has keys with values, as in {name: speech, command: [espeak-ng, --stdin]}, not %s", kindOf(n))
	}
	if err := s.fields(n, reflect.ValueOf(&x).Elem()); err != nil {
		return x, err
	}
	if !isListenerName(x.Name) {
		return x, s.errorf(n, "a listener wants a name of at most 64 letters, digits, dots, - and _, not %q", x.Name[:min(len(x.Name), maxShown)])
	}
	if x.Off {
		return x, nil // it switches off the one of its name, and needs nothing else
	}
	if problem := wrongListener(x); problem != "" {
		return x, s.errorf(n, "the listener %s: %s", x.Name, problem)
	}
	return x, nil
}

// wrongListener tells what is wrong with a listener; "" where nothing is.
func wrongListener(x agent.Listener) string {
	var names []string
	for _, e := range agent.Heard {
		names = append(names, string(e))
	}
	for _, e := range x.Events {
		if !slices.Contains(agent.Heard, e) {
			return "there is no event " + quoted(string(e)) + didYouMean(string(e), names)
		}
	}
	for _, slip := range []struct {
		made bool
		says string
	}{
		{(len(x.Command) == 0) == (x.Webhook == ""), "set one of command and webhook"},
		{x.Webhook == "" && x.Secret+x.SecretFile != "", "secret and secret_file sign webhooks, and it has none"},
		{x.Secret != "" && x.SecretFile != "", "set one of secret and secret_file"},
		{x.Secret != "" && !isReference(x.Secret), "secret is not a place for the secret itself: write ${env:NAME}, or name a file with mode 0600 in secret_file"},
		{x.SecretFile != "" && !filepath.IsAbs(x.SecretFile) && !strings.HasPrefix(x.SecretFile, "~/"), "secret_file wants the whole path of a file"},
		{x.Timeout < 0 || x.Timeout > agent.MaxListenerTimeout, "timeout is at most " + formatDuration(agent.MaxListenerTimeout)},
	} {
		if slip.made {
			return slip.says
		}
	}
	for _, argv := range [][]string{x.Command, x.Summary} {
		if len(argv) > 0 && strings.TrimSpace(argv[0]) == "" {
			return "the program of a command is missing"
		}
		if len(argv) == 1 && strings.ContainsAny(argv[0], " \t") && !filepath.IsAbs(argv[0]) {
			return "a command is a list of the program and its arguments, as in [espeak-ng, --stdin]; no shell reads it"
		}
	}
	return wrongURL(x.Webhook)
}

// isReference reports whether a text is ${env:NAME} and nothing else.
func isReference(text string) bool {
	filled, missing := agent.Expand(text, func(string) string { return "" })
	return filled == "" && len(missing) == 1
}

func quoted(s string) string { return `"` + s[:min(len(s), maxShown)] + `"` }

// wrongURL tells what is wrong with a webhook's URL. What stands for ${env:NAME}
// is not known here.
func wrongURL(text string) string {
	if text == "" || strings.HasPrefix(text, "${env:") {
		return ""
	}
	filled, _ := agent.Expand(text, func(string) string { return "x" })
	u, err := url.Parse(filled)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "webhook wants a URL that begins with https:// or http://"
	case u.User != nil:
		return "the URL of webhook must not hold a name or a password; ${env:NAME} may stand in it"
	}
	return ""
}

// ShownURL is a webhook's URL as it may be shown: the rest of it is a secret at
// many services.
func ShownURL(webhook string) string {
	scheme, rest, ok := strings.Cut(webhook, "://")
	if !ok {
		return webhook[:strings.IndexByte(webhook, '}')+1]
	}
	host, path, _ := strings.Cut(rest, "/")
	if path == "" && !strings.ContainsAny(host, "?#@") {
		return webhook
	}
	if i := strings.IndexAny(host, "?#@"); i >= 0 {
		host = host[:i]
	}
	return scheme + "://" + host + "/…"
}

// shownListener is a listener as 'piton config' shows it.
type shownListener struct {
	Name       string            `json:"name"`
	Command    []string          `json:"command,omitempty"`
	Webhook    string            `json:"webhook,omitempty"`
	Events     []agent.EventKind `json:"events,omitempty"`
	Secret     string            `json:"secret,omitempty"` // the name of a variable
	SecretFile string            `json:"secret_file,omitempty"`
	Summary    []string          `json:"summary,omitempty"`
	Timeout    string            `json:"timeout,omitempty"`
	Off        bool              `json:"off,omitempty"`
}

func shownListeners(list []agent.Listener) []shownListener {
	out := []shownListener{}
	for _, x := range list {
		s := shownListener{x.Name, x.Command, ShownURL(x.Webhook), x.Events, x.Secret, x.SecretFile, x.Summary, "", x.Off}
		if x.Timeout > 0 {
			s.Timeout = formatDuration(x.Timeout)
		}
		out = append(out, s)
	}
	return out
}
