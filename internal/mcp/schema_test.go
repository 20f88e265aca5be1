package mcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/request"
)

var update = flag.Bool("update", false, "write the schemas of the tools anew")

// TestSchemasAreThoseOfTheTypes: what is announced is what is read and answered.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	var text bytes.Buffer
	text.WriteString("{")
	for i, tool := range []struct {
		name string
		made schemas
	}{
		{"checkpoint_save", made[piton.SaveRequest, savedAnswer](t)},
		{"checkpoint_load", madeOf[piton.LoadRequest](t)},
		{"checkpoint_list", made[piton.ListRequest, app.Listing](t)},
		{"checkpoint_resume", madeOf[piton.ResumeRequest](t)},
		{"checkpoint_search", made[piton.SearchRequest, app.Listing](t)},
		{"checkpoint_inspect", madeOf[piton.InspectRequest](t)},
		{"checkpoint_diff", madeOf[piton.DiffRequest](t)},
		{"checkpoint_complete", made[piton.CompleteRequest, completedAnswer](t)},
		{"checkpoint_delete", made[piton.DeleteRequest, history.Removal](t)},
		{"undo_preview", made[piton.UndoRequest, marks.Restoration](t)},
		{"undo_list", made[piton.UndosRequest, marks.UndoList](t)},
		{"run_list", madeOf[piton.RunsRequest](t)},
		{"run_show", madeOf[piton.RunRefRequest](t)},
		{"run_log", madeOf[piton.RunLogsRequest](t)},
		{"run_waiting", madeOf[piton.WaitingRequest](t)},
	} {
		if i > 0 {
			text.WriteString(",")
		}
		row, err := json.Marshal(tool.made)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("\"" + tool.name + "\":" + string(row))
	}
	text.WriteString("}\n")
	var want bytes.Buffer
	if err := json.Indent(&want, text.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("schemas.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(schemasText, want.Bytes()) {
		t.Error("schemas.json is not what the types say: go test ./internal/mcp -run TestSchemasAreThoseOfTheTypes -update")
	}
}

// made are the schemas as the types say.
func made[In, Out any](t *testing.T) schemas {
	t.Helper()
	out, err := json.Marshal(answerSchema[Out]())
	if err != nil {
		t.Fatal(err)
	}
	s := madeOf[In](t)
	s.Output = out
	return s
}

// madeOf are those of a tool that answers with a text.
func madeOf[In any](t *testing.T) schemas {
	t.Helper()
	in, err := json.Marshal(request.FormOf(reflect.TypeFor[In]()).Schema(request.MCP))
	if err != nil {
		t.Fatal(err)
	}
	return schemas{Input: in}
}

// known are the schemas of types that have their own form in JSON. A checkpoint's
// names what a model needs of it; docs/json.md has all fields.
var known = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[piton.Time]():       {Type: "string"},
	reflect.TypeFor[piton.Checkpoint](): checkpointSchema,
	reflect.TypeFor[app.OpenNeed]():     {Type: "object", Description: "what the work of the project leaves open"},
}

var checkpointSchema = &jsonschema.Schema{
	Type:        "object",
	Description: "a checkpoint's record",
	Required:    []string{"id", "workflow_id", "workflow_type", "branch", "seq", "created_at", "completed"},
	Properties: map[string]*jsonschema.Schema{
		"id":            {Type: "string"},
		"workflow_id":   {Type: "string"},
		"workflow":      {Type: "string", Description: "the workflow's name"},
		"workflow_type": {Type: "string"},
		"session_id":    {Type: "string"},
		"branch":        {Type: "string"},
		"seq":           {Type: "integer"},
		"parent_id":     {Type: "string"},
		"step_number":   {Type: "integer"},
		"step_name":     {Type: "string"},
		"name":          {Type: "string"},
		"description":   {Type: "string"},
		"task_summary":  {Type: "string"},
		"trigger":       {Type: "string"},
		"created_at":    {Type: "string", Description: "RFC 3339"},
		"completed":     {Type: "boolean"},
		"progress":      {Type: "integer", Description: "percent"},
		"damaged":       {Type: "string", Description: "why it cannot be loaded"},
	},
}

// schemaOf is the schema of a tool's arguments.
func schemaOf[In any]() *jsonschema.Schema {
	s, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		panic(err) // the types are ours
	}
	plain(s)
	return s
}

// plain takes null out of the types that a Go pointer, slice or map has. The SDKs of
// clients refuse such a schema of an answer, and models of arguments.
func plain(s *jsonschema.Schema) {
	each(s, func(s *jsonschema.Schema) {
		if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
			s.Type, s.Types = s.Types[1-i], nil
		}
	})
}

// answerSchema is the schema of a tool's answer. Answers may grow, so no field is
// forbidden.
func answerSchema[Out any]() *jsonschema.Schema {
	s := schemaOf[Out]()
	s.Properties["notes"] = &jsonschema.Schema{Type: "array", Description: "what to know beside the answer", Items: &jsonschema.Schema{Type: "string"}}
	each(s, func(s *jsonschema.Schema) { s.AdditionalProperties = nil })
	return s
}

// each calls do with a schema and the schemas of its parts.
func each(s *jsonschema.Schema, do func(*jsonschema.Schema)) {
	if s == nil {
		return
	}
	do(s)
	each(s.Items, do)
	for _, p := range s.Properties {
		each(p, do)
	}
}
