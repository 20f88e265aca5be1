package sqlstore

import (
	"bytes"
	"fmt"
	"strings"
)

// fault is the first thing found wrong with a record.
type fault struct{ why string }

func (f *fault) note(format string, args ...any) {
	if f.why == "" {
		f.why = fmt.Sprintf(format, args...)
	}
}

func (f *fault) int(name string, into *int64) any {
	return column(func(v any) {
		n, ok := v.(int64)
		if *into = n; !ok {
			f.note("its %s is not a number", name)
		}
	})
}

// text reads what can be read of a text: bytes are kept and noted.
func (f *fault) text(name string, into *string) any {
	return column(func(v any) {
		s, ok := v.(string)
		if b, is := v.([]byte); is {
			s = string(b)
		}
		if *into = strings.ToValidUTF8(s, "\uFFFD"); !ok || *into != s {
			f.note("its %s is not text", name)
		}
	})
}

func (f *fault) bytes(name string, into *[]byte) any {
	return column(func(v any) {
		b, ok := v.([]byte)
		if *into = bytes.Clone(b); !ok {
			f.note("its %s is not bytes", name)
		}
	})
}

// bytesOrNull takes NULL for bytes that were never written.
func (f *fault) bytesOrNull(name string, into *[]byte) any {
	return column(func(v any) {
		if *into = nil; v != nil {
			f.bytes(name, into).(column)(v)
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
