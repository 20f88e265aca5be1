package pages

import (
	"encoding/binary"
	"errors"
	"math"
)

var errRecord = errors.New("no record")

// varint reads a number of variable length; length is 0 if there is none.
func varint(b []byte) (n int64, length int) {
	var u uint64
	for i := range 9 {
		if i >= len(b) {
			return 0, 0
		}
		if i == 8 {
			return int64(u<<8 | uint64(b[i])), 9
		}
		u = u<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return int64(u), i + 1
		}
	}
	return 0, 0
}

// decode reads a record: nil, int64, float64, string or []byte per column. It
// must fill its bytes exactly.
func decode(b []byte) ([]any, error) {
	header, at := varint(b)
	if at == 0 || header < int64(at) || header > int64(len(b)) {
		return nil, errRecord
	}
	body := b[header:]
	var values []any
	for int64(at) < header {
		kind, n := varint(b[at:header])
		if n == 0 || kind < 0 {
			return nil, errRecord
		}
		at += n
		v, n, err := value(kind, body)
		if err != nil {
			return nil, err
		}
		values, body = append(values, v), body[n:]
	}
	if len(body) > 0 || int64(at) != header {
		return nil, errRecord
	}
	return values, nil
}

// value reads one value of a kind and returns how long it is.
func value(kind int64, b []byte) (any, int, error) {
	switch {
	case kind == 0:
		return nil, 0, nil
	case kind <= 6:
		n := []int{1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}[kind]
		if n > len(b) {
			return nil, 0, errRecord
		}
		v := int64(int8(b[0]))
		for _, c := range b[1:n] {
			v = v<<8 | int64(c)
		}
		return v, n, nil
	case kind == 7:
		if len(b) < 8 {
			return nil, 0, errRecord
		}
		return math.Float64frombits(binary.BigEndian.Uint64(b)), 8, nil
	case kind == 8 || kind == 9:
		return kind - 8, 0, nil
	case kind < 12:
		return nil, 0, errRecord
	}
	n := (kind - 12) / 2
	if n > int64(len(b)) {
		return nil, 0, errRecord
	}
	if kind%2 == 1 {
		return string(b[:n]), int(n), nil
	}
	return append([]byte{}, b[:n]...), int(n), nil
}
