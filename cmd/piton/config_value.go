package main

import (
	"encoding/json"
	"fmt"

	"github.com/piton-project/piton/internal/screen"
)

// flat writes a value on one line.
func flat(v any) string {
	b, ok := v.(json.RawMessage)
	if !ok {
		return fmt.Sprint(v)
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		return screen.OrDash(s)
	}
	if string(b) == "[]" {
		return "-"
	}
	return string(b)
}
