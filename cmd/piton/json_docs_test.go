package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/demo"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/verbs"
)

const jsonModule = "github.com/piton-project/piton"

var (
	jsonHeading = regexp.MustCompile(`(?m)^##+ (.+)$|^<!-- (.+): (?:fields|values) of (.+) -->$`)
	jsonTable   = regexp.MustCompile(`(<!-- .+: (fields|values) of (.+) -->\n)(?:\n|\|.*\n)*`)
	jsonAlone   = []any{app.App{}, runner.Event{}, demo.Seen{}}
)

// jsonPage is what docs/json.md is made of.
type jsonPage struct {
	types map[string]reflect.Type // of answers and all within, by their names
	links map[string]string       // to the tables of types
	says  map[string]string       // the comments of fields, by "folder.Type.Field"
	words map[string][][2]string  // the constants of types with their comments, by "folder.Type"
}

// jsonField is a row of a table, or what stands in a row of the object that it is in.
type jsonField struct{ name, kind, means, absent string }

// TestDocsJSON: the tables of docs/json.md, below comments that name a type, are made of
// the types that answers have and of the comments beside their fields. A comment says what
// a field means, and behind "absent: " when it is.
func TestDocsJSON(t *testing.T) {
	have, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	p := jsonPage{map[string]reflect.Type{}, map[string]string{}, map[string]string{}, map[string][][2]string{}}
	for _, v := range verbs.All {
		p.collect(t, v.Answer)
	}
	for _, x := range jsonAlone {
		p.collect(t, reflect.TypeOf(x))
	}
	anchor := ""
	for _, m := range jsonHeading.FindAllStringSubmatch(string(have), -1) {
		if m[1] != "" {
			anchor = strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(m[1]))
		} else {
			p.links[m[3]] = fmt.Sprintf("[%s](#%s)", m[2], anchor)
		}
	}
	for _, v := range verbs.All {
		if p.links[v.Answer.String()] == "" {
			t.Errorf("docs/json.md has no table of %s, which %q answers with", v.Answer, v.Says)
		}
	}
	fresh(t, "json.md", jsonTable.ReplaceAllStringFunc(string(have), func(old string) string {
		m := jsonTable.FindStringSubmatch(old)
		typ, ok := p.types[m[3]]
		if !ok {
			t.Fatalf("docs/json.md: no answer has the type %s", m[3])
		}
		table := "\n| value | meaning |\n|---|---|\n"
		for _, w := range p.words[folderOf(typ)+"."+typ.Name()] {
			table += fmt.Sprintf("| `%s` | %s |\n", w[0], w[1])
		}
		if m[2] == "fields" {
			table = "\n| field | type | meaning | absent when |\n|---|---|---|---|\n"
			for _, f := range p.fields(typ) {
				table += strings.ReplaceAll(fmt.Sprintf("| %s | %s | %s | %s |\n", f.name, f.kind, f.means, f.absent), "|  |", "| |")
			}
		}
		return m[1] + table + "\n"
	}), "TestDocsJSON")
}

// fields are the rows of a type. One that is embedded and has a table is one row.
func (p jsonPage) fields(t reflect.Type) (list []jsonField) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, tagged := strings.Cut(f.Tag.Get("json"), ",")
		typ := f.Type
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		means, absent, _ := strings.Cut(p.says[folderOf(t)+"."+t.Name()+"."+f.Name], "absent: ")
		means = strings.TrimSuffix(means, "; ")
		switch link := p.links[typ.String()]; {
		case f.Anonymous && name == "" && link != "":
			list = append(list, jsonField{name: "all of " + link, means: means, absent: absent})
		case f.Anonymous && name == "":
			list = append(list, p.fields(typ)...)
		case f.IsExported() && name != "" && name != "-":
			if !tagged || !strings.Contains(options, "omit") {
				absent = cmp.Or(absent, "never")
			} else {
				absent = cmp.Or(absent, map[bool]string{true: "false", false: "none"}[typ.Kind() == reflect.Bool])
			}
			list = append(list, jsonField{"`" + name + "`", p.kind(f.Type), p.meaning(means, f.Type), absent})
		}
	}
	return list
}

// kind is what a type is in JSON.
func (p jsonPage) kind(t reflect.Type) string {
	switch link, k := p.links[t.String()], t.Kind(); {
	case link != "":
		return link
	case t == reflect.TypeFor[piton.Time]():
		return "time"
	case t == reflect.TypeFor[json.RawMessage]() || k == reflect.Interface:
		return "JSON"
	case k == reflect.Pointer:
		return p.kind(t.Elem())
	case k == reflect.Slice && t.Elem().Kind() == reflect.Pointer:
		return "list of " + p.kind(t.Elem()) + " or null"
	case k == reflect.Slice || k == reflect.Map:
		of := p.kind(t.Elem())
		if of == "string" || of == "number" {
			of += "s"
		}
		return map[bool]string{true: "list of ", false: "object of "}[k == reflect.Slice] + of
	case k == reflect.String:
		return "string"
	case k == reflect.Bool:
		return "boolean"
	case k != reflect.Struct:
		return "number"
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return "object"
	}
	var names []string
	for _, f := range p.fields(t) {
		names = append(names, strings.Trim(f.name, "`"))
	}
	return "`{\"" + strings.Join(names, `","`) + "\"}`"
}

// meaning is what a field's comment says, and what there is to be said of the words and
// the fields of its type, where that has no table.
func (p jsonPage) meaning(says string, t reflect.Type) string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct {
		t = t.Elem()
	}
	var more []string
	before, sep := ": ", ", "
	switch {
	case p.links[t.String()] != "":
	case t.Kind() == reflect.String:
		for _, w := range p.words[folderOf(t)+"."+t.Name()] {
			more = append(more, strings.TrimSuffix(fmt.Sprintf("`%s` (%s)", w[0], w[1]), " ()"))
		}
	case t.Kind() == reflect.Struct && p.kind(t)[0] == '`':
		before, sep = ". ", "; "
		for _, f := range p.fields(t) {
			if f.means != "" {
				more = append(more, f.name+": "+f.means)
			}
		}
	}
	if says == "" || more == nil {
		return says + strings.Join(more, sep)
	}
	return says + before + strings.Join(more, sep)
}

// collect adds a type, and those of its fields and of what methods of the application
// return.
func (p jsonPage) collect(t *testing.T, typ reflect.Type) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		p.collect(t, typ.Elem())
		return
	}
	if p.types[typ.String()] != nil || !strings.HasPrefix(typ.PkgPath(), jsonModule) {
		return
	}
	p.types[typ.String()] = typ
	p.read(t, folderOf(typ))
	if typ.Kind() == reflect.Struct {
		for f := range typ.Fields() {
			p.collect(t, f.Type)
		}
	}
	for m := range reflect.PointerTo(typ).Methods() {
		for out := range m.Type.Outs() {
			if typ.PkgPath() == jsonModule+"/internal/app" {
				p.collect(t, out)
			}
		}
	}
}

// read adds the comments of a folder.
func (p jsonPage) read(t *testing.T, folder string) {
	files, err := filepath.Glob(folder + "/*.go")
	if _, had := p.says[folder]; had || err != nil {
		return
	}
	p.says[folder] = ""
	consts := map[string][2]string{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.TypeSpec:
				if s, ok := x.Type.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						name := types.ExprString(field.Type)
						if field.Names != nil {
							name = field.Names[0].Name
						}
						p.says[folder+"."+x.Name.Name+"."+name[strings.LastIndexAny(name, "*.")+1:]] = commentOf(field.Doc, field.Comment)
					}
				}
			case *ast.ValueSpec:
				if len(x.Values) != 1 {
					break
				}
				typ, word := x.Type, [2]string{"", commentOf(x.Doc, x.Comment)}
				switch v := x.Values[0].(type) {
				case *ast.BasicLit:
					word[0] = strings.Trim(v.Value, `"`)
				case *ast.CallExpr: // a word of another type
					if len(v.Args) == 1 {
						typ, word = v.Fun, consts[types.ExprString(v.Args[0])]
					}
				}
				consts[x.Names[0].Name] = word
				if typ != nil && word[0] != "" {
					of := folder + "." + types.ExprString(typ)
					p.words[of] = append(p.words[of], word)
				}
			}
			return true
		})
	}
}

// commentOf is a comment in one line.
func commentOf(above, behind *ast.CommentGroup) string {
	if above == nil {
		above = behind
	}
	return strings.ReplaceAll(strings.TrimSuffix(strings.Join(strings.Fields(above.Text()), " "), "."), "|", `\|`)
}

func folderOf(t reflect.Type) string { return "../.." + strings.TrimPrefix(t.PkgPath(), jsonModule) }

// TestDocsHTTP: the first table of docs/http.md is made of the verbs and their routes.
func TestDocsHTTP(t *testing.T) {
	have, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
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
				table += strings.ReplaceAll(fmt.Sprintf("| `%s %s` | %s | %s |\n", r.Method, r.Path, command, strings.TrimSpace(says+" "+r.More)), "|  |", "| |")
			}
		}
	}
	page := regexp.MustCompile(`(<!-- routes -->\n)(?:\n|\|.*\n)*`)
	fresh(t, "http.md", page.ReplaceAllLiteralString(string(have), "<!-- routes -->\n"+table+"\n"), "TestDocsHTTP")
}
