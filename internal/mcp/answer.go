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

// told is an error in words for a model, with secrets redacted: the words of others in it
// begin no line.
func told(e *piton.Error) string {
	line := func(text string) string {
		text, _ = redact.Text(text)
		return piton.FenceLine(text)
	}
	text := line(strings.TrimPrefix(e.Error(), "piton: ") + " (" + string(e.Code) + ")")
	if e.Hint != "" {
		text += "\nHint: " + line(verbs.ForModel(e.Hint))
	}
	return text
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
