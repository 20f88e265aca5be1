package mcp

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// exact tells whether the answer to a message will have its id: the SDK reads a number
// as a floating-point number and drops its fraction, so that the answer to a large one,
// or to 1.5, would have another id.
func exact(id jsonrpc.ID, line []byte) bool {
	n, isNumber := id.Raw().(int64)
	if !isNumber {
		return true
	}
	if n >= 1<<53 || n <= -1<<53 {
		return false
	}
	sent, err := strconv.ParseFloat(idText(line), 64)
	return err == nil && sent == float64(n)
}

// idText is the id of a message as it was sent. What stands behind it is not read.
func idText(line []byte) (id string) {
	d := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return ""
		}
		if name.String() == "id" {
			value, err := d.ReadValue()
			if err != nil {
				return ""
			}
			return string(value)
		}
		if d.SkipValue() != nil {
			return ""
		}
	}
	return ""
}
