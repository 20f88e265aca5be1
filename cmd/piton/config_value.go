package main

import (
	"encoding/json"
	"fmt"
)

// flat writes a value on one line.
func flat(v any) string {
	b, ok := v.(json.RawMessage)
	if !ok {
		return fmt.Sprint(v)
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		return orDash(s)
	}
	if string(b) == "[]" {
		return "-"
	}
	return string(b)
}
