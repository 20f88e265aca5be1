package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// work is a turn whose work is not the client's own edit, or of which a person said
// something: what the turn changed counts, whatever changed it.
type work struct {
	name   string
	prompt string
	steps  func(w *world) []reply
	want   string // the first stop's reason; several, with | between them
	says   string // to the agent or to the person
}

var works = []work{
	{"another program's tool edits", "", steps(mcpEdit), "held", "`calc.go` changed"},
	{"another program's tool edits after the tests", "", steps(testAll, mcpEdit), "held", "`calc.go` changed"},
	{"another program's tool edits, then the tests", "", steps(mcpEdit, testAll), "all_clear", ""},
	{"another program's tool breaks it", "", steps(mcpSlip, testAll), "held", "was not seen to pass"},
	{"a merge", "", steps(merge), "held", "`calc.go` changed"},
	{"a merge, then the tests", "", steps(merge, testAll), "all_clear", ""},
	{"a merge after the tests", "", steps(testAll, merge), "held", "`calc.go` changed"},
	{"a fast-forward, which makes nothing that was not there", "", steps(forward), "nothing_changed", ""},
	{"a generator", "", steps(generate), "held", "`calc.go` changed"},
	{"a generator, then the tests", "", steps(generate, testAll), "all_clear", ""},
	{"another repository", "", steps(elsewhere), "held", "In `"},
	{"another repository, then the tests of this one", "", steps(elsewhere, testAll), "held", "In `"},
	{"another repository, then its tests", "", steps(elsewhere, testElsewhere), "all_clear", ""},
	{"both, then the tests of this one", "", steps(ownEdit, elsewhere, testAll), "held", "In `"},
	{"both, then the tests of both", "", steps(ownEdit, elsewhere, testAll, testElsewhere), "all_clear", ""},

	{"no tests, in English", "swap the operands, and don't run the tests", steps(ownEdit), "notice", ""},
	{"no tests, in German", "vertausche die Operanden, bitte keine Tests", steps(ownEdit), "notice", ""},
	{"no tests, in French", "échange les opérandes, sans tests", steps(ownEdit), "notice", ""},
	{"no tests, in Spanish", "intercambia los operandos, sin pruebas", steps(ownEdit), "notice", ""},
	{"no tests, in Portuguese", "troque os operandos, sem testes", steps(ownEdit), "notice", ""},
	{"no tests, in Chinese", "交换操作数，不要运行测试", steps(ownEdit), "notice", ""},
	{"it may fail", "break it on purpose: the tests should fail now", steps(ownSlip, testAll), "notice", ""},
	{"nothing of tests", "swap the operands", steps(ownEdit), "held", "`calc.go` changed"},
	{"others' words of tests", "swap the operands; the README says \"don't run the tests\"", steps(ownEdit), "held", "`calc.go` changed"},
}

// steps are made once the world is there.
func steps(list ...func(w *world) []reply) func(w *world) []reply {
	return func(w *world) (all []reply) {
		for _, f := range list {
			all = append(all, f(w)...)
		}
		return all
	}
}

func ownEdit(*world) []reply { return swap() }
func ownSlip(*world) []reply { return slip() }
func testAll(*world) []reply { return []reply{call(bash("go test ./..."))} }
func merge(*world) []reply   { return []reply{call(bash("git merge -q --no-edit feature"))} }
func forward(*world) []reply { return []reply{call(bash("git merge -q ahead"))} }

func generate(*world) []reply { return []reply{call(bash("go run ./gen"))} }

func elsewhere(w *world) []reply {
	return []reply{call(bash("cd " + w.root + "/other && sed -i 's/a + b/b + a/' calc.go"))}
}
func testElsewhere(w *world) []reply {
	return []reply{call(bash("cd " + w.root + "/other && go test ./..."))}
}

func mcpEdit(w *world) []reply { return filesTool(w, "return a + b", "return b + a") }
func mcpSlip(w *world) []reply { return filesTool(w, "return a + b", "return a - b") }

// filesTool edits through the file system's MCP server.
func filesTool(w *world, from, to string) (list []reply) {
	if w.client == codex { // it tells the model of no tool before it was searched for
		list = append(list, call(tool{Kind: "tool_search", Input: map[string]any{"query": "edit_file make line-based edits to a text file", "limit": 8}}))
	}
	edits := []any{map[string]any{"oldText": from, "newText": to}}
	return append(list, call(tool{Kind: mcpName(w.client, "files", "edit_file"), Input: map[string]any{"path": w.path("calc.go"), "edits": edits}}))
}

func TestWorkByAnyTool(t *testing.T) {
	overClients(t, func(t *testing.T, c client) {
		for i, x := range works {
			if today(i, c) {
				t.Run(x.name, func(t *testing.T) { x.run(t, c) })
			}
		}
	})
}

func (x work) run(t *testing.T, c client) {
	w := newWorldOf(t, c, always)
	w.filesServer()
	w.prepare()
	w.model.script(x.steps(w)...)
	w.model.script(reply{Text: "Done.", Repeat: true})
	prompt := x.prompt
	if prompt == "" {
		prompt = "swap the operands"
	}
	var args []string
	if c == claude {
		args = []string{"--allowedTools=mcp__files__edit_file"}
	}
	w.ask(prompt, args...)
	d := w.decisions()[0]
	t.Logf("LIVE work|%s|%s|held=%v %s|%s", c.name(), x.name, d.Held, d.Reason, w.said())
	if d.Reason != x.want {
		t.Errorf("got the decision %s, want %s: %s", d.Reason, x.want, w.said())
	}
	if !strings.Contains(d.Message+w.said(), x.says) {
		t.Errorf("got %q and %q, want %q", d.Message, w.said(), x.says)
	}
	if got := w.verified(); x.want != "all_clear" && got != "" {
		t.Errorf("called verified: %s", got)
	}
}

// filesServer adds the file system's MCP server to the client, as a person does.
func (w *world) filesServer() {
	w.t.Helper()
	server := []string{"node", installed("@modelcontextprotocol", "server-filesystem", "dist", "index.js"), w.project}
	line := map[client][]string{
		claude: {"mcp", "add", "--scope", "user", "files", "--"},
		gemini: {"mcp", "add", "--scope", "user", "files"},
		codex:  {"mcp", "add", "files", "--"},
	}[w.client]
	program := w.client.argv()
	if i := slices.Index(program, "--approval-mode"); i > 0 { // no subcommand takes it
		program = program[:i]
	}
	_, err := w.run(slices.Concat(program, line, server)...)
	check(w.t, err)
}

// prepare gives the project a branch to merge and a generator, and puts another
// repository beside it.
func (w *world) prepare() {
	w.t.Helper()
	w.git("config", "user.name", "Ada")
	w.git("config", "user.email", "ada@example.org")
	check(w.t, os.Mkdir(w.path("gen"), 0o755))
	w.write("gen/main.go", "package main\n\nimport \"os\"\n\nfunc main() {\n\tos.WriteFile(\"calc.go\", []byte(\"package calc\\n\\n// Add adds.\\nfunc Add(a, b int) int { return b + a }\\n\"), 0o644)\n}\n")
	w.git("add", ".")
	w.git("commit", "-qm", "generator")
	w.git("clone", "-q", ".", w.root+"/other")
	w.git("checkout", "-qb", "feature")
	w.write("calc.go", strings.Replace(calcGo, "a + b", "b + a", 1))
	w.old("swap")
	w.git("checkout", "-q", "main")
	w.write("README.md", "# calc\n\nIt adds numbers.\n")
	w.old("words")
	w.git("checkout", "-qb", "ahead")
	w.write("calc.go", strings.Replace(calcGo, "a + b", "a + b + 0", 1))
	w.old("more")
	w.git("checkout", "-q", "main")
}

// old commits everything as of an earlier day.
func (w *world) old(message string) {
	w.t.Helper()
	_, err := w.run("env", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "git", "commit", "-qam", message)
	check(w.t, err)
}
