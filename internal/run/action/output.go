package action

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// outputParameter says how a text that an action brings is read.
var outputParameter = Parameter{Name: "output", Kinds: []Kind{Text}, Options: []string{"auto", "json", "text"}, Others: []string{"format", "parse"},
	Meaning: "how the output is read: `auto`, the default, takes JSON where it is JSON; `json` fails where it is none; `text` reads none"}

// maxOutput is how much of an output is kept, and maxKept how long it may be as the
// JSON that it is kept as: it is part of each later state of the run, which takes no
// output of more than 1 MiB. Of more, half is the beginning and half the end.
const (
	maxOutput = 960 << 10
	maxKept   = 992 << 10
)

// readOutput is what a step brings whose program, server or tool has said this: how
// is the parameter "output".
func readOutput(text []byte, cut bool, how any) (any, error) {
	t := strings.ToValidUTF8(string(text), "\uFFFD")
	switch {
	case how == "text":
		return fitting(lastLine(t)), nil
	case cut && (how == "json" || beginsJSON(t[:min(len(t), maxOutput/4)])):
		return nil, &Failed{Err: fmt.Errorf("the output is longer than %d bytes, so it was not read as JSON; write it to a file, or take its two ends with 'output: text'", maxOutput), Final: true}
	case how == "json":
		v, err := ReadJSON([]byte(t))
		if err != nil {
			return nil, &Failed{Err: fmt.Errorf("the output is not JSON: %w", err)}
		}
		return v, nil
	}
	if v, err := ReadJSON([]byte(t)); err == nil && !cut && sameAsText(v, t) {
		return v, nil
	}
	return fitting(lastLine(t)), nil
}

// beginsJSON tells whether a text is one object or list as far as it goes: cut in its
// middle, it would be taken for another value than the program wrote.
func beginsJSON(t string) bool {
	d := json.NewDecoder(strings.NewReader(t))
	for depth := 0; ; {
		switch token, err := d.Token(); {
		case err != nil:
			return depth > 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF))
		case token == json.Delim('{') || token == json.Delim('['):
			depth++
		case token == json.Delim('}') || token == json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return false
		}
	}
}

// sameAsText tells whether a text that is JSON can be taken as such without a loss.
// A number that is written in another way than JSON's own is a text: a version
// such as 1.10, a commit id such as 12e4567.
func sameAsText(v any, t string) bool {
	switch n := v.(type) {
	case float64:
		b, err := json.Marshal(n)
		return err == nil && string(b) == strings.TrimSpace(t) && !math.IsInf(n, 0)
	case json.Number:
		return false
	}
	return true
}

// lastLine is a text without the line feed at its end.
func lastLine(t string) string {
	return strings.TrimSuffix(strings.TrimSuffix(t, "\n"), "\r")
}

// fitting is a text that is not too long as JSON either, where a control character
// takes six.
func fitting(t string) string {
	for {
		b, err := compact(t)
		if err != nil || len(b) <= maxKept {
			return t
		}
		t = ends(t, len(t)*(maxOutput>>10)/(len(b)>>10)-1<<10)
	}
}

// maxEnd is how much of the end of an output an error quotes.
const maxEnd = 2000

// ending is the end of what a program has said, as an error quotes it.
func ending(said []byte) string {
	t, _ := redact.Text(strings.ToValidUTF8(string(said), "\uFFFD"))
	t = strings.TrimSpace(t)
	if over := len(t) - maxEnd; over > 0 {
		t = t[over:]
		if _, rest, ok := strings.Cut(t, "\n"); ok {
			t = rest
		}
		t = "... " + strings.ToValidUTF8(t, "")
	}
	return piton.PrintableLines(t)
}

// Stream is a writer of its own to the step's log, never nil: for a program's output,
// which may come in pieces while others write to the log.
func (c Call) Stream() io.Writer {
	if l, ok := c.Log.(interface{ Stream() io.Writer }); ok {
		return l.Stream()
	}
	return c.log()
}

// log is the step's log, never nil.
func (c Call) log() io.Writer {
	if c.Log == nil {
		return io.Discard
	}
	return c.Log
}

// final is a failure before the effect that another try cannot mend.
func final(format string, args ...any) error {
	return &Failed{Err: fmt.Errorf(format, args...), Final: true, Known: Before}
}

// ends are the beginning and the end of a text that is too long.
func ends(t string, most int) string {
	if len(t) <= most {
		return t
	}
	if most < 1<<10 {
		return "[... all left out ...]"
	}
	first, last := strings.ToValidUTF8(t[:most/2], ""), strings.ToValidUTF8(t[len(t)-most/2:], "")
	return fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", first, len(t)-len(first)-len(last), last)
}
