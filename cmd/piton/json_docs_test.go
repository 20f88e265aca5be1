package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/demo"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store/repair"
	"github.com/piton-project/piton/internal/verbs"
)

var (
	jsonHeading = regexp.MustCompile(`(?m)^##+ (.+)$|^<!-- (.+): (?:fields|values) of (.+) -->$`)
	jsonTable   = regexp.MustCompile(`(<!-- .+: (fields|values|keys) of (.+) -->\n)(?:\n|\|.*\n)*`)
	// jsonAlone are the answers of commands that are not verbs.
	jsonAlone = []any{
		app.Exported{}, app.Imported{}, app.Flushed{}, app.Status{}, planruns.RunResult{}, planruns.RunPreview{}, runner.Event{}, installation.Settings{}, installation.ConfigChanged{}, installation.Trust{},
		app.Ignored{}, installation.AcceptedTest{}, insight.TestedTurn{}, insight.ReplayedLogs{}, app.Opened{}, app.Attached{}, installation.Changed{}, app.Diagnosis{}, repair.Report{}, demo.Seen{}, marks.FilesWork{},
	}
)

// jsonPage is what docs/json.md is made of. Types go by their names with packages.
type jsonPage struct {
	types map[string]reflect.Type // of answers and all within
	links map[string]string       // to the tables of types
	says  map[string]string       // the comments beside the fields of types
	words map[string][][2]string  // the constants of types, with their comments
}

// jsonField is a row of a table.
type jsonField struct{ name, kind, means, absent string }

// TestDocsJSON: the tables of docs/json.md and docs/rules.md, below comments that name a
// type, are made of the types of answers and of rules and of the comments beside their
// fields. A comment says what a field means, and behind "absent: " when it is.
func TestDocsJSON(t *testing.T) {
	p := jsonPage{map[string]reflect.Type{}, map[string]string{}, map[string]string{}, map[string][][2]string{}}
	have, anchor := docsPage(t, "json.md"), ""
	for _, m := range jsonHeading.FindAllStringSubmatch(have, -1) {
		if m[1] != "" {
			anchor = strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(m[1]))
		} else {
			p.links[m[3]] = fmt.Sprintf("[%s](#%s)", m[2], anchor)
		}
	}
	var answers []reflect.Type
	for _, x := range jsonAlone {
		answers = append(answers, reflect.TypeOf(x))
	}
	for _, v := range verbs.All {
		answers = append(answers, v.Answer)
	}
	for _, x := range answers {
		if p.collect(t, x); p.links[x.String()] == "" {
			t.Errorf("docs/json.md has no table of %s", x)
		}
	}
	p.collect(t, reflect.TypeFor[debrief.Rule]())
	fresh(t, "json.md", jsonTable.ReplaceAllStringFunc(have, p.table), "TestDocsJSON")
	p.examples(t, have)
	fresh(t, "rules.md", jsonTable.ReplaceAllStringFunc(docsPage(t, "rules.md"), p.table), "TestDocsJSON")
}

// examples tests that each example is JSON, with fields of the tables of its part of the page.
func (p jsonPage) examples(t *testing.T, page string) {
	for _, part := range regexp.MustCompile(`(?m)^## `).Split(page, -1) {
		known := map[string]bool{"…": true}
		for _, m := range jsonTable.FindAllStringSubmatch(part, -1) {
			p.known(known, p.types[m[3]])
		}
		for _, m := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(part, -1) {
			for d := json.NewDecoder(strings.NewReader(m[1])); len(known) > 1 && d.More(); {
				var example map[string]any
				if err := d.Decode(&example); err != nil {
					t.Fatalf("docs/json.md: %v in %s", err, m[1])
				}
				for name := range example {
					if !known[name] {
						t.Errorf("docs/json.md: the example has %q, which no table beside it has: %s", name, m[1])
					}
				}
			}
		}
	}
}

// known adds the names of a type's fields.
func (p jsonPage) known(names map[string]bool, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if names[name] = true; name == "" && t.Field(i).Anonymous {
			p.known(names, t.Field(i).Type)
		}
	}
}

// table is a comment that names a type, with the table of it.
func (p jsonPage) table(old string) string {
	m := jsonTable.FindStringSubmatch(old)
	rows := map[string]string{
		"fields": row("field", "type", "meaning", "absent when") + "|---|---|---|---|\n",
		"values": row("value", "meaning") + "|---|---|\n",
		"keys":   row("field", "meaning") + "|---|---|\n",
	}[m[2]]
	switch m[2] {
	case "fields":
		for _, f := range p.fields(p.types[m[3]]) {
			rows += row(f.name, f.kind, f.means, f.absent)
		}
	case "values":
		for _, w := range p.words[m[3]] {
			rows += row("`"+w[0]+"`", w[1])
		}
	case "keys": // of a file
		for f := range p.types[m[3]].Fields() {
			if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "-" {
				rows += row("`"+name+"`", p.says[m[3]+"."+f.Name])
			}
		}
	}
	return m[1] + "\n" + rows + "\n"
}

// row is a row of a table.
func row(cells ...string) string {
	return strings.ReplaceAll("| "+strings.Join(cells, " | ")+" |\n", "  ", " ")
}

// fields are the rows of a type. One that is embedded and has a table is one row.
func (p jsonPage) fields(t reflect.Type) (list []jsonField) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		means, absent, _ := strings.Cut(p.says[t.String()+"."+f.Name], "absent: ")
		means = strings.TrimSuffix(means, "; ")
		kind, more := p.shape(f.Type)
		switch {
		case name == "-" || name == "" && !f.Anonymous:
		case name == "" && kind[0] == '[':
			list = append(list, jsonField{"all of " + kind, "", means, absent})
		case name == "" && f.Type.Kind() == reflect.Pointer:
			list = append(list, p.fields(f.Type.Elem())...)
		case name == "":
			list = append(list, p.fields(f.Type)...)
		default:
			if !strings.Contains(options, "omit") {
				absent = cmp.Or(absent, "never")
			} else if kind == "boolean" {
				absent = cmp.Or(absent, "false")
			}
			if kind == "string" && strings.Contains(means, "`") {
				more = "" // the comment names the words
			}
			list = append(list, jsonField{"`" + name + "`", kind, strings.TrimLeft(means+more, ":. "), cmp.Or(absent, "none")})
		}
	}
	return list
}

// shape is what a type is in JSON, and what its words and the fields in it mean, where
// that has no table.
func (p jsonPage) shape(t reflect.Type) (kind, more string) {
	switch link, k := p.links[t.String()], t.Kind(); {
	case link != "":
		return link, ""
	case t == reflect.TypeFor[piton.Time]():
		return "time", ""
	case t == reflect.TypeFor[json.RawMessage](), k == reflect.Interface:
		return "JSON", ""
	case k == reflect.Pointer:
		return p.shape(t.Elem())
	case k == reflect.Slice, k == reflect.Map:
		kind, more = p.shape(t.Elem())
		if kind == "string" || kind == "number" {
			kind += "s"
		}
		return map[reflect.Kind]string{reflect.Slice: "list of ", reflect.Map: "object of "}[k] + kind, more
	case k == reflect.String:
		for _, w := range p.words[t.String()] {
			more += ", " + strings.TrimSuffix("`"+w[0]+"` ("+w[1]+")", " ()")
		}
		return "string", strings.Replace(more, ",", ":", 1)
	case k == reflect.Bool:
		return "boolean", ""
	case k != reflect.Struct:
		return "number", ""
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return "object", ""
	}
	for _, f := range p.fields(t) {
		kind += "," + strings.ReplaceAll(f.name, "`", `"`)
		if f.means != "" {
			more += "; " + f.name + ": " + f.means
		}
	}
	return "`{" + strings.TrimPrefix(kind, ",") + "}`", strings.Replace(more, ";", ".", 1)
}

// collect adds a type and those of its fields.
func (p jsonPage) collect(t *testing.T, x reflect.Type) {
	switch k := x.Kind(); {
	case k == reflect.Pointer, k == reflect.Slice, k == reflect.Map:
		p.collect(t, x.Elem())
	case p.types[x.String()] == nil && strings.Contains(x.PkgPath(), "piton-project"):
		p.types[x.String()] = x
		p.read(t, "../.."+strings.TrimPrefix(x.PkgPath(), "github.com/piton-project/piton"))
		for i := 0; k == reflect.Struct && i < x.NumField(); i++ {
			p.collect(t, x.Field(i).Type)
		}
	}
}

// read adds the comments of a package, once.
func (p jsonPage) read(t *testing.T, folder string) {
	files, _ := filepath.Glob(folder + "/*.go")
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if _, had := p.says[file]; had || err != nil {
			return
		}
		p.says[file] = ""
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.TypeSpec:
				s, _ := x.Type.(*ast.StructType)
				for i := 0; s != nil && i < len(s.Fields.List); i++ {
					name := types.ExprString(s.Fields.List[i].Type) // of an embedded one
					if s.Fields.List[i].Names != nil {
						name = s.Fields.List[i].Names[0].Name
					}
					p.says[f.Name.Name+"."+x.Name.Name+"."+name[strings.LastIndexAny(name, "*.")+1:]] = commentOf(s.Fields.List[i].Doc, s.Fields.List[i].Comment)
				}
			case *ast.ValueSpec:
				if x.Type != nil && len(x.Values) == 1 && types.ExprString(x.Values[0]) != `""` {
					of, word := f.Name.Name+"."+types.ExprString(x.Type), types.ExprString(x.Values[0])
					p.words[of] = append(p.words[of], [2]string{strings.Trim(word, `"`), commentOf(x.Doc, x.Comment)})
				}
			}
			return true
		})
	}
}

// commentOf is a comment above or behind something in one line.
func commentOf(above, behind *ast.CommentGroup) string {
	text := strings.Join(strings.Fields(above.Text()+" "+behind.Text()), " ")
	return strings.ReplaceAll(strings.TrimSuffix(text, "."), "|", `\|`)
}

// TestDocsHTTP: the first table of docs/http.md is made of the verbs and their routes.
func TestDocsHTTP(t *testing.T) {
	table := "\n| request | command | what it does |\n|---|---|---|\n"
	for _, v := range verbs.All {
		for _, r := range v.Routes {
			command, says := "", sentence(cmp.Or(r.Says, v.Says))
			if v.Command != "" {
				command = "`" + v.Command + "`"
			}
			if r.Status != 0 {
				says += fmt.Sprintf(" Status %d.", r.Status)
			}
			if !r.Hidden {
				table += row("`"+r.Method+" "+r.Path+"`", command, strings.TrimSpace(says+" "+r.More))
			}
		}
	}
	page := regexp.MustCompile(`(<!-- routes -->\n)(?:\n|\|.*\n)*`)
	fresh(t, "http.md", page.ReplaceAllLiteralString(docsPage(t, "http.md"), "<!-- routes -->\n"+table+"\n"), "TestDocsHTTP")
}
