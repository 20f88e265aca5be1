package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/verbs"
)

// noted is an answer that can carry notes.
type noted interface {
	note(list []string)
	text() string // for clients that show their model only text
}

// notes are what the model should know beside the answer.
type notes struct {
	Notes []string `json:"notes,omitempty" jsonschema:"what to know beside the answer"`
}

func (n *notes) note(list []string) { n.Notes = append(n.Notes, list...) }

// withNotes adds the notes to a text.
func (n *notes) withNotes(b *strings.Builder) string {
	for _, line := range n.Notes {
		fmt.Fprintf(b, "\nNote: %s", line)
	}
	return b.String()
}

// describe is a checkpoint on one line.
func describe(c piton.Checkpoint) string {
	text := c.ID + " · " + c.Label() + " · " + c.Step()
	if c.Progress != nil {
		text += fmt.Sprintf(" · %d%%", *c.Progress)
	}
	if c.Damaged != "" {
		text += " · damaged"
	}
	if c.Completed {
		text += " · completed"
	}
	return strings.Join(strings.Fields(text), " ") + " · " + c.CreatedAt.String()
}

// success is the result of an answer: the answer itself, and a text for clients
// that show their model nothing else.
func success(out noted) (*mcp.CallToolResult, error) {
	body, err := json.Marshal(out)
	if err != nil {
		return failure("", err), nil
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: piton.Fence(out.text())}}, StructuredContent: fencedJSON(body)}, nil
}

// fencedJSON is JSON whose texts and names are fenced: a client may write them out for
// its model.
func fencedJSON(body []byte) json.RawMessage {
	var out []byte
	done := 0
	in := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if in.PeekKind() != '"' {
			switch _, err := in.ReadToken(); {
			case err == io.EOF:
				return append(out, body[done:]...)
			case err != nil:
				return nil
			}
			continue
		}
		raw, err := in.ReadValue()
		if err != nil {
			return nil
		}
		text, _ := jsontext.AppendUnquote(nil, raw)
		if fenced := piton.Fence(string(text)); fenced != string(text) {
			end := int(in.InputOffset())
			out, _ = jsontext.AppendQuote(append(out, body[done:end-len(raw)]...), fenced)
			done = end
		}
	}
}

// failure is an error as a result: a model reads the text and tries again.
func failure(op string, err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: told(named(op, err))}}}
}

// named gives an error that was refused before anything was tried the tool's name.
func named(op string, err error) *piton.Error {
	e := *caller.AsError(err)
	e.Op = cmp.Or(e.Op, op)
	return &e
}

// told is an error in words for a model, with secrets redacted.
func told(e *piton.Error) string {
	text := strings.TrimPrefix(e.Error(), "piton: ") + " (" + string(e.Code) + ")"
	if e.Hint != "" {
		text += "\nHint: " + verbs.ForModel(e.Hint)
	}
	text, _ = redact.Text(text)
	return piton.Fence(text)
}

// rpcError is an error as the protocol has it.
func rpcError(code piton.Code, text string) *jsonrpc.Error {
	e := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: text}
	if code == piton.Invalid || code == piton.NotFound {
		e.Code = jsonrpc.CodeInvalidParams
	}
	return e
}

// failedRequest is an error of a request that is not a call of a tool, whose result has
// no place for one.
func failedRequest(err error) error { return rpcError(piton.CodeOf(err), told(named("", err))) }
