package plan_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/run/plan"
)

// addressed are the places of a request in which a value stands. An error is a
// refusal, by the plan's check or by the step.
var addressed = []struct{ name, parameters, value, key, want, err string }{
	{"a segment", `{url: "http://h/u/${{ inputs.x }}/e"}`, "a b/c?d#e%2f\\@", "url", "http://h/u/a%20b%2Fc%3Fd%23e%252f%5C@/e", ""},
	{"a segment that is a path", `{url: "http://h/u/${{ inputs.x }}/e"}`, "a/../../admin", "url", "", "another path"},
	{"a segment of dots", `{url: "http://h/u/${{ inputs.x }}/e"}`, "..", "url", "", "another path"},
	{"a segment that becomes dots", `{url: "http://h/u/.${{ inputs.x }}"}`, ".", "url", "", "another path"},
	{"a part of a segment", `{url: "http://h/u/v${{ inputs.x }}.json"}`, "1.2", "url", "http://h/u/v1.2.json", ""},
	{"a query", `{url: "http://h/u?q=${{ inputs.x }}&r=1"}`, "a&admin=1#x y", "url", "http://h/u?q=a%26admin%3D1%23x+y&r=1", ""},
	{"a whole query", `{url: "http://h/u?${{ inputs.x }}"}`, "a=1&b=2", "url", "http://h/u?a%3D1%26b%3D2", ""},
	{"a fragment", `{url: "http://h/u#${{ inputs.x }}"}`, "a b", "url", "http://h/u#a+b", ""},
	{"a secret in a query", `{url: "http://h/u?key=${env:TOKEN}"}`, "", "url", "http://h/u?key=a%2Bb%2Fc%26d", ""},
	{"a port", `{url: "http://h:${{ inputs.x }}/u"}`, "8080", "url", "http://h:8080/u", ""},
	{"a port that is none", `{url: "http://h:${{ inputs.x }}/u"}`, "1@evil", "url", "", "not a port"},
	{"a host", `{url: "http://${{ inputs.x }}/u"}`, "evil", "url", "", "which server"},
	{"a host's end", `{url: "http://h${{ inputs.x }}"}`, "@evil", "url", "", "which server"},
	{"a part of a host", `{url: "http://h.${{ inputs.x }}.org/u"}`, "a/", "url", "", "which server"},
	{"a user", `{url: "http://${{ inputs.x }}@h/u"}`, "a@evil/", "url", "", "which server"},
	{"a scheme", `{url: "${{ inputs.x }}://h/u"}`, "file", "url", "", "which server"},
	{"a value that is computed", `{url: "${{ inputs.x + '/u' }}"}`, "http://evil", "url", "", "which server"},
	{"the query of the plan", `{url: "${{ query }}"}`, "", "url", "", "which server"},
	{"an input of its own", `{url: "${{ inputs.x }}/u"}`, "https://h:1/v1", "url", "https://h:1/v1/u", ""},
	{"an input that is not a server", `{url: "${{ inputs.x }}/u"}`, "https://h@evil", "url", "", "without a user"},
	{"an input with a query", `{url: "${{ inputs.x }}/u"}`, "https://h?", "url", "", "end with the host"},
	{"an input that is a whole URL", `{url: "${{ inputs.x }}"}`, "https://h/a?b=c", "url", "https://h/a?b=c", ""},
	{"an input that is not a URL", `{url: "${{ inputs.x }}"}`, "gopher://h", "url", "", "must begin with http"},
	{"a server of the environment", `{url: "${env:API}/${{ inputs.x }}"}`, "a/b", "url", "http://h/a%2Fb", ""},
	{"a server's end behind the environment", `{url: "${env:API}${{ inputs.x }}"}`, "@evil", "url", "", "which server"},
	{"the header Host", `{url: "http://h/", headers: {host: "${{ inputs.x }}"}}`, "evil", "url", "", "which server"},
	{"a text of JSON", `{url: "http://h/", body: '{"a": "x${{ inputs.x }}"}'}`, "\", \"admin\": true, \"b\": \"\n", "body", `{"a": "x\", \"admin\": true, \"b\": \"\n"}`, ""},
	{"a value of JSON", `{url: "http://h/", body: '{"a": ${{ inputs.x }}}'}`, `1, "admin": true`, "body", `{"a": "1, \"admin\": true"}`, ""},
	{"a value of JSON that is JSON", `{url: "http://h/", body: '{"a": ${{ toJSON({"b": inputs.x}) }}}'}`, `c`, "body", `{"a": {"b":"c"}}`, ""},
	{"a list in JSON", `{url: "http://h/", body: '[${{ inputs.x }}, "\"${{ inputs.x }}"]'}`, `a"`, "body", `["a\"", "\"a\""]`, ""},
	{"a number in a text of JSON", `{url: "http://h/", body: '{"a": "${{ 1 + 1 }}", "b": ${{ 1 + 1 }}}'}`, "", "body", `{"a": "2", "b": 2}`, ""},
	{"JSON by its header", `{url: "http://h/", headers: {content-type: application/json}, body: '"${{ inputs.x }}"'}`, `a"b`, "body", `"a\"b"`, ""},
	{"a form", `{url: "http://h/", headers: {Content-Type: application/x-www-form-urlencoded}, body: 'a=${{ inputs.x }}&b=1'}`, "1&admin=1", "body", "a=1%26admin%3D1&b=1", ""},
	{"another text", `{url: "http://h/", body: 'say ${{ inputs.x }}'}`, `"a" {b}`, "body", `say "a" {b}`, ""},
	{"JSON by its suffix", `{url: "http://h/", headers: {CONTENT-TYPE: "Application/Problem+JSON; charset=utf-8"}, body: '"${{ inputs.x }}"'}`, `a"b`, "body", `"a\"b"`, ""},
	{"the header that is sent", `{url: "http://h/", headers: {Content-Type: text/plain, content-type: application/json}, body: '"${{ inputs.x }}"'}`, `a"b`, "body", `"a\"b"`, ""},
	{"plain text by its header", `{url: "http://h/", headers: {Content-Type: text/plain; charset=utf-8}, body: 'a ${{ inputs.x }}'}`, `a"b`, "body", `a a"b`, ""},
	{"XML", `{url: "http://h/", headers: {Content-Type: application/xml}, body: '<a>${{ inputs.x }}</a>'}`, "</a><b>", "body", "", "send JSON, a form or text/plain"},
	{"YAML", `{url: "http://h/", headers: {content-type: application/yaml}, body: 'a: ${{ inputs.x }}'}`, "1\nb: 2", "body", "", "send JSON"},
	{"CSV", `{url: "http://h/", headers: {content-type: text/csv}, body: 'a,${{ inputs.x }}'}`, "1,2", "body", "", "send JSON"},
	{"GraphQL", `{url: "http://h/", headers: {Content-Type: application/graphql}, body: '{ a(id: "${{ inputs.x }}") }'}`, `") { b }`, "body", "", "send JSON"},
	{"a form in parts", `{url: "http://h/", headers: {Content-Type: "multipart/form-data; boundary=b"}, body: "--b\r\n\r\n${{ inputs.x }}\r\n--b--"}`, "\r\n--b", "body", "", "send JSON"},
	{"HTML with a secret", `{url: "http://h/", headers: {Content-Type: text/html}, body: '<p>${env:TOKEN} ${{ inputs.x }}</p>'}`, "<", "body", "", "send JSON"},
	{"a kind that is a value", `{url: "http://h/", headers: {Content-Type: "${{ inputs.x }}"}, body: 'a=${{ inputs.x }}'}`, "application/json", "body", "", "send JSON"},
	{"XML without a value", `{url: "http://h/", headers: {Content-Type: application/xml}, body: '<a/>'}`, "", "body", "<a/>", ""},
	{"XML that is one value", `{url: "http://h/", headers: {Content-Type: application/xml}, body: '${{ inputs.x }}'}`, "<a/>", "body", "<a/>", ""},
	{"a body that is a value", `{url: "http://h/", body: '${{ inputs.x }}'}`, `{"a": 1}`, "body", `{"a": 1}`, ""},
}

// TestAddresses: a value in a request stays in its place.
func TestAddresses(t *testing.T) {
	for _, c := range addressed {
		for _, action := range []string{"http", "mcp"} {
			if action == "mcp" && (c.key != "url" || strings.Contains(c.parameters, "headers")) {
				continue
			}
			parameters, key := c.parameters, c.key
			if action == "mcp" {
				parameters, key = strings.Replace(parameters, "{url:", "{tool: t, server:", 1), "server"
			}
			source := fmt.Sprintf("query: http://evil/\ninputs: {x: a}\nsteps:\n- id: a\n  action: %s\n  parameters: %s\n", action, parameters)
			p, err := plan.Parse("p.yaml", []byte(source), nil)
			var got plan.Resolved
			if err == nil {
				got, err = plan.Resolve(p.Steps[0], plan.Resolver{Query: "http://evil/", Inputs: map[string]any{"x": c.value}, Getenv: func(name string) (string, bool) {
					return map[string]string{"TOKEN": "a+b/c&d", "API": "http://h"}[name], true
				}})
			}
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%s (%s): got %v (%v), want %q", c.name, action, got.Parameters[key], err, c.err)
				}
			} else if err != nil || !reflect.DeepEqual(got.Parameters[key], any(c.want)) {
				t.Errorf("%s (%s): got %v (%v), want %v", c.name, action, got.Parameters[key], err, c.want)
			}
		}
	}
}

// TestUsual: commands as people write them keep their values.
func TestUsual(t *testing.T) {
	const x = "${{ inputs.x }}"
	for _, command := range []string{
		"git commit -m " + x, "git checkout -b " + x, "git clone https://h/" + x + " d", "git -C " + x + " status", "docker run --rm " + x + " make test",
		"docker run --rm -e X=" + x + " img sh -c 'echo $X'", "kubectl -n " + x + " get pods", "curl -fsS https://h/" + x, "curl -d " + x + " https://h/", "gh pr create --title " + x,
		"npm version " + x, "npm run build -- " + x, "npm test -- --grep=" + x, "go test ./... -run " + x, "pytest -k " + x, "python3 tool.py --name " + x, "python3 -m tool " + x, "node tool.js " + x,
		"ruby tool.rb " + x, "perl tool.pl " + x, "bash tool.sh " + x, "sh ./tool " + x, "tar -czf " + x + ".tgz dir", "rsync -a dir/ host:" + x, "scp f host:" + x, "ssh " + x + " uptime", "ssh -p " + x + " host uptime",
		"make -C " + x, "make -j" + x + " all", "timeout " + x + " make", "nice -n " + x + " make", "sudo -u " + x + " id", "psql -v x=" + x + " -f q.sql",
		"psql -d " + x + " -f q.sql", "sqlite3 " + x + " .tables", "jq --arg x " + x + " '.[$x]' f", "jq . " + x, "awk -v x=" + x + " '{print x}' f", "awk '{print}' " + x, "awk -F , '{print}' " + x, "sed -n 1p " + x,
		"sed -i.bak 's/a/b/' " + x, "sed -e 's/a/b/' " + x, "grep -r perl " + x, "find " + x + " -name '*.go'", "find . -name " + x + " -exec rm {} +", "test " + x + " = a", "[ " + x + " -gt 1 ]", "[ -n " + x + " ] && echo y",
		"[[ " + x + " =~ ^a ]]", "echo " + x + " > f", "echo " + x + " | tee -a f", "echo " + x + " | grep a | wc -l", "cat <<< " + x, "mkdir -p out/" + x, "cd " + x + " && make", "export X=" + x, "local=" + x + "; echo \"$local\"",
		"for i in a b; do echo " + x + " $i; done", "n=$(echo " + x + " | wc -c); echo \"$n\"", "command -v " + x, "read -p " + x + " answer", "trap 'rm -f t' EXIT; echo " + x, "x=" + x + "; case $x in a*) echo;; esac",
		"eval \"$(ssh-agent)\"; ssh-add " + x, "sh -c 'echo \"$1\"' sh " + x, "docker compose run app " + x, "aws s3 cp " + x + " s3://b/", "terraform apply -var x=" + x, "i=0; i=$((i+1)); echo " + x, "echo " + x + " | base64", "xargs -a f rm " + x, "echo " + x + " | xargs mkdir",
		"uv run tool.py " + x, "cp " + x + " /tmp", "printf '%s\\n' " + x + " >>f", "bash -c 'make test' && echo " + x, "cat " + x + " | python3 tool.py", "python3 - " + x + " <tool.py", "gpg -r " + x + " -e f", "cargo run -- " + x, "pip install python " + x,
	} {
		s := plan.Step{ID: "a", Action: "shell", Parameters: map[string]any{"command": command}}
		if _, err := plan.Resolve(s, plan.Resolver{Inputs: map[string]any{"x": "value"}}); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
}
