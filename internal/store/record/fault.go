package record

import (
	"bytes"
	"fmt"
	"strings"
)

// Fault is the first thing found wrong with a record, whose columns are read with it: Int
// reads a number, Bytes reads bytes.
type Fault struct{ Why string }

// Note notes what is wrong, if nothing was before.
func (f *Fault) Note(format string, args ...any) {
	if f.Why == "" {
		f.Why = fmt.Sprintf(format, args...)
	}
}

func (f *Fault) Int(name string, into *int64) any {
	return column(func(v any) {
		n, ok := v.(int64)
		if *into = n; !ok {
			f.Note("its %s is not a number", name)
		}
	})
}

// text reads what can be read of a text: bytes are kept and noted.
func (f *Fault) text(name string, into *string) any {
	return column(func(v any) {
		s, ok := v.(string)
		if b, is := v.([]byte); is {
			s = string(b)
		}
		if *into = strings.ToValidUTF8(s, "\uFFFD"); !ok || *into != s {
			f.Note("its %s is not text", name)
		}
	})
}

func (f *Fault) Bytes(name string, into *[]byte) any {
	return column(func(v any) {
		b, ok := v.([]byte)
		if *into = bytes.Clone(b); !ok {
			f.Note("its %s is not bytes", name)
		}
	})
}

// bytesOrNull takes NULL for bytes that were never written.
func (f *Fault) bytesOrNull(name string, into *[]byte) any {
	return column(func(v any) {
		if *into = nil; v != nil {
			f.Bytes(name, into).(column)(v)
			*into = append([]byte{}, *into...)
		}
	})
}

// column is a sql.Scanner that takes whatever there is.
type column func(v any)

// Scan hands the value on; a value of the wrong kind is not an error.
func (c column) Scan(v any) error {
	c(v)
	return nil
}
