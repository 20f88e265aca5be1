package plan

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
)

// maxValue is the most bytes of a value that an expression makes, or that one of its
// functions works through.
const maxValue = 16 << 20

var errValue = errors.New("the expression makes a value that is too large")

func asNumber(v any) (float64, bool) {
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return float64(r.Int()), true
	case r.CanUint():
		return float64(r.Uint()), true
	case r.CanFloat():
		return r.Float(), true
	}
	return 0, false
}

var kindNames = map[reflect.Kind]string{
	reflect.Invalid: "null", reflect.String: isText, reflect.Bool: isBool, reflect.Map: "an object", reflect.Slice: isList, reflect.Array: isList,
}

func kindName(v any) string { return cmp.Or(kindNames[reflect.ValueOf(v).Kind()], isNumber) }

// compact writes a value into a text, within the bounds.
func compact(v any) (string, error) {
	v, err := plain(v)
	if err != nil {
		return "", err
	}
	return plainText(v), nil
}

// plain is what an expression has brought, as JSON; it counts values that stand
// in many places each time.
func plain(v any) (any, error) {
	left := maxValue
	return plainWithin(reflect.ValueOf(v), &left, 0)
}

func plainWithin(v reflect.Value, left *int, depth int) (any, error) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	*left -= 8
	if v.Kind() == reflect.String {
		*left -= v.Len()
	}
	if *left < 0 || depth > 2*maxDepth {
		return nil, errValue
	}
	switch v.Kind() {
	case reflect.Invalid:
		return nil, nil
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Slice, reflect.Array:
		list := make([]any, 0, min(v.Len(), 1024))
		for i := range v.Len() {
			x, err := plainWithin(v.Index(i), left, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, x)
		}
		return list, nil
	case reflect.Map:
		m := map[string]any{}
		for _, key := range v.MapKeys() {
			name := fmt.Sprint(key.Interface())
			*left -= len(name)
			x, err := plainWithin(v.MapIndex(key), left, depth+1)
			if err != nil {
				return nil, err
			}
			m[name] = x
		}
		return m, nil
	}
	if v.CanInt() && int64(float64(v.Int())) != v.Int() {
		return v.Int(), nil // a float64 would change it
	}
	if n, ok := asNumber(v.Interface()); ok {
		if n != n || n-n != 0 {
			return nil, errors.New("the expression makes a number that JSON does not have")
		}
		return n, nil
	}
	return nil, fmt.Errorf("the expression makes a value that JSON does not have")
}
