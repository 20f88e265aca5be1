package client

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/piton-project/piton"
)

// HookContext is an answer that hands text to the model; clients that learned
// from each other share its form.
func HookContext(event, text string) []byte {
	return append(Quoted(`{"hookSpecificOutput":{"hookEventName":"`+event+`","additionalContext":`, text), "}}"...)
}

// Quoted appends s as a JSON string. The client shows the text, or hands it to
// its model: what others wrote in it is fenced (piton.Say).
func Quoted(before, s string) []byte {
	out, _ := jsontext.AppendQuote([]byte(before), piton.Say(s))
	return out
}
