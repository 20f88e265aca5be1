package action

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strconv"
	"strings"
)

// ReadJSON reads one JSON value as steps see it: nil, bool, float64, string, []any,
// map[string]any. An integer that a float64 would change stays exact: int64, or
// json.Number where it is larger still. State that is read back must be read so too.
func ReadJSON(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more text follows the JSON value")
	}
	return exact(v), nil
}

// exact gives each number the type that keeps it as it is.
func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		return exactNumber(v)
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = exact(v[k])
		}
	}
	return v
}

func exactNumber(n json.Number) any {
	f, err := n.Float64()
	if err != nil {
		return n // beyond what a float64 holds
	}
	if strings.ContainsAny(n.String(), ".eE") {
		return f
	}
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		if i >= -1<<53 && i <= 1<<53 {
			return f
		}
		return i
	}
	if whole, ok := new(big.Int).SetString(n.String(), 10); ok {
		if same, _ := big.NewFloat(f).Int(nil); same.Cmp(whole) == 0 {
			return f
		}
	}
	return n
}

// compact is a value as JSON without needless characters.
func compact(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
