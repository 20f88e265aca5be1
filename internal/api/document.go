package api

import (
	_ "embed" // the examples
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/piton-project/piton"
)

// newDocument is the document without its operations.
func newDocument() *huma.OpenAPI {
	failures := map[string]*huma.Response{}
	for status, when := range failureTexts {
		failures[failureName(status)] = problemResponse(when)
	}
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Piton", Version: piton.Version(),
			Description: "Checkpoints, sessions and runs of coding agents. Requests take the options of the command line in snake_case, and answers are its JSON (docs/http.md, docs/json.md).",
			Contact:     &huma.Contact{Name: "Piton"},
			License:     &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Servers: []*huma.Server{
			{URL: "http://piton", Description: "The socket of the daemon, $PITON_HOME/piton.sock; what stands for the host is not looked at"},
			{URL: "http://{address}", Description: "A port of the loopback, with --listen", Variables: map[string]*huma.ServerVariable{"address": {Default: "127.0.0.1:7433", Description: "as --listen has it"}}},
		},
		Tags: groups,
		Components: &huma.Components{
			Schemas: registry(), Responses: failures,
			SecuritySchemes: map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer", Description: "over TCP; on the socket none is needed"}},
		},
		Security: []map[string][]string{{"token": {}}, {}},
	}
}

// tokenUsage is the form of piton.TokenUsage in answers.
type tokenUsage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

// registry names the schemas by their types: where two packages have one of the same
// name, the second gets its package's name before it.
func registry() huma.Registry {
	taken := map[string]reflect.Type{}
	r := huma.NewMapRegistry("#/components/schemas/", func(t reflect.Type, hint string) string {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		name := huma.DefaultSchemaNamer(t, hint)
		if t.Kind() != reflect.Struct {
			return name
		}
		if at := taken[name]; at != nil && at != t {
			pkg := []rune(t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:])
			pkg[0] = unicode.ToUpper(pkg[0])
			name = string(pkg) + name
		}
		taken[name] = t
		return name
	})
	r.RegisterTypeAlias(reflect.TypeFor[piton.Time](), reflect.TypeFor[time.Time]())
	r.RegisterTypeAlias(reflect.TypeFor[piton.TokenUsage](), reflect.TypeFor[tokenUsage]()) // it is read from text, too
	return r
}

// groups are the tags of operations.
var groups = []*huma.Tag{
	{Name: "checkpoints", Description: "What was saved, and how work is continued from it"},
	{Name: "workflows", Description: "Lines of checkpoints, and their branches"},
	{Name: "store", Description: "Where checkpoints lie: kept small, checked, carried to other machines"},
	{Name: "files", Description: "Files that agents took away, and marks of them"},
	{Name: "runs", Description: "Runs of plans, and what waits for a person"},
	{Name: "sessions", Description: "Agents at work, and why they were held"},
	{Name: "letters", Description: "Messages for agents and listeners"},
	{Name: "events", Description: "What happens, as it happens"},
	{Name: "service", Description: "The server itself"},
}

// failureTexts say when a failure of each status comes.
var failureTexts = map[int]string{
	http.StatusUnauthorized:          "The token is missing or wrong, over TCP",
	http.StatusForbidden:             "It is not allowed over TCP, from a page, under this host name, or over HTTP at all",
	http.StatusNotFound:              "What is named is not there",
	http.StatusRequestTimeout:        "The body did not come in time",
	http.StatusConflict:              "The branch or the run has moved on, a name or a key is taken, or somebody is at work there; nothing was written",
	http.StatusRequestEntityTooLarge: "The body is too large",
	http.StatusUnsupportedMediaType:  "The type of the body is not named or not the one that is taken, or it is encoded",
	http.StatusUnprocessableEntity:   "The request or what it asks for is not acceptable; nothing of it was written",
	http.StatusInternalServerError:   "Stored bytes are damaged, or Piton has a defect; no wrong state is ever answered",
	http.StatusServiceUnavailable:    "The store, a program or a turn cannot be had right now: try again",
}

func failureName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

// fail notes in an operation that failures of these statuses can come.
func fail(op *huma.Operation, all ...int) {
	for _, status := range all {
		op.Responses[strconv.Itoa(status)] = &huma.Response{Ref: "#/components/responses/" + failureName(status)}
	}
}

// examplesText has an answer of each operation, by its id: real ones, which a test has made
// and makes again with -update.
//
//go:embed examples.json
var examplesText []byte

// exemplify shows the examples at the operations.
func exemplify(d *huma.OpenAPI) {
	var examples map[string]json.RawMessage
	if err := json.Unmarshal(examplesText, &examples); err != nil {
		panic(err) // they are ours
	}
	for op := range operations(d) {
		for status, r := range op.Responses {
			if body := r.Content[jsonType]; body != nil && status < "3" && examples[op.OperationID] != nil {
				body.Example = examples[op.OperationID]
			}
		}
	}
	for status, r := range d.Components.Responses {
		if x := examples[status]; x != nil {
			r.Content[problemType].Example = x
		}
	}
}

// operations are those of the document.
func operations(d *huma.OpenAPI) func(yield func(*huma.Operation) bool) {
	return func(yield func(*huma.Operation) bool) {
		for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
			item := d.Paths[path]
			for _, op := range []*huma.Operation{item.Get, item.Post, item.Delete} {
				if op != nil && !yield(op) {
					return
				}
			}
		}
	}
}
