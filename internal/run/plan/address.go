package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// place is where a value stands in a text that is parsed again.
type place int

const (
	asText  place = iota
	asBase        // the beginning of a URL, up to its path
	asWhole       // a whole URL
	asPort        // of a URL
	asPath        // a part of a segment of a URL's path
	asQuery       // a part of a URL's query, or of a form
	asJSON        // a whole value of a JSON text
	inJSON        // a part of a text in a JSON text
)

var errHost = errors.New("a value cannot say which server is asked: write the host, or put it in ${env:NAME} or an input of its own, as in ${{ inputs.server }}/path")

var (
	// server is a URL's beginning with a host and what ends it; portless is one that
	// waits for a port.
	server     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^https?://[^/?#\\@]+[/?#]`) })
	portless   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^https?://[^/?#\\@:]+:$`) })
	dotSegment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|/)\.\.?(/|$)`) })
	anInput    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^inputs(\.[\w-]+|\["[\w-]+"\])$`) })
)

// urlPlaces says where in a URL its values stand. An error where one would say which
// server is asked, unless it is an input or a variable that stands for just that.
func urlPlaces(parts []part) ([]place, error) {
	var places []place
	before := "" // "x" stands for a value
	for i, p := range parts {
		at := asText
		switch {
		case p.text != "":
			before += p.text
		case before == "" && (p.variable != "" || anInput().MatchString(p.expr)) && ends(parts[i+1:]):
			before = "http://x"
			switch {
			case p.variable != "": // as the person has set it
			case len(parts) == 1:
				at = asWhole
			default:
				at = asBase
			}
		case portless().MatchString(before) && ends(parts[i+1:]):
			at, before = asPort, before+"1"
		case !server().MatchString(before):
			return nil, errHost
		case strings.ContainsAny(before, "?#"):
			at, before = asQuery, before+"x"
		default:
			at, before = asPath, before+"x"
		}
		places = append(places, at)
	}
	return places, nil
}

// ends tells whether a URL's host ends before these parts.
func ends(parts []part) bool {
	return len(parts) == 0 || parts[0].text != "" && strings.Contains("/?#", parts[0].text[:1])
}

// put writes a value for its place.
func put(at place, value any) (string, error) {
	text := plainText(value)
	switch at {
	case asBase, asWhole:
		u, err := url.Parse(text)
		known := err == nil && server().MatchString(text+"/") && u.User == nil
		if !known || at == asBase && strings.ContainsAny(text, "?#") {
			return "", errors.New("the value must begin with http:// or https:// and a host, without a user, and end with the host or a path")
		}
	case asPort:
		if strings.Trim(text, "0123456789") != "" || text == "" {
			return "", errors.New("the value is no port")
		}
	case asPath:
		return url.PathEscape(text), nil
	case asQuery:
		return url.QueryEscape(text), nil
	case asJSON, inJSON:
		if s, ok := value.(string); ok && (at == inJSON || !json.Valid([]byte(s))) {
			b, err := json.Marshal(s)
			text = string(b)
			if at == inJSON {
				text = text[1 : len(text)-1]
			}
			return text, err
		}
		if at == inJSON {
			return put(inJSON, text)
		}
	}
	return text, nil
}

// server resolves a URL, each value as its place wants it.
func (v *resolution) server(value any) (any, error) {
	text, ok := value.(string)
	if !ok {
		return v.any(value)
	}
	got, err := v.placed(text, urlPlaces)
	address, _ := got.(string)
	if u, bad := url.Parse(address); err == nil && bad == nil && hasValue(text) && dotSegment().MatchString(u.Path) {
		err = errors.New(`with this value the URL has a segment "." or "..", which is another path`)
	}
	return got, err
}

// body resolves what is sent: in a text that is JSON or a form each value is written
// as its place wants it.
func (v *resolution) body(value, headers any) (any, error) {
	text, ok := value.(string)
	if !ok {
		return v.any(value)
	}
	kind := ""
	m, _ := headers.(map[string]any)
	for name, x := range m {
		if http.CanonicalHeaderKey(name) == "Content-Type" {
			kind, _ = x.(string)
		}
	}
	switch first := strings.TrimSpace(text); {
	case strings.Contains(kind, "json"), kind == "" && !strings.HasPrefix(first, "${{") && strings.ContainsAny(first[:min(1, len(first))], "{["):
		return v.placed(text, jsonPlaces)
	case strings.Contains(kind, "x-www-form-urlencoded"):
		return v.placed(text, func(parts []part) ([]place, error) {
			places := make([]place, len(parts))
			for i := range places {
				places[i] = asQuery
			}
			return places, nil
		})
	}
	return v.any(value)
}

// jsonPlaces says where in a JSON text its values stand.
func jsonPlaces(parts []part) ([]place, error) {
	places := make([]place, len(parts))
	quoted := false
	for i, p := range parts {
		for j := 0; j < len(p.text); j++ {
			switch {
			case p.text[j] == '"':
				quoted = !quoted
			case p.text[j] == '\\' && quoted:
				j++
			}
		}
		if places[i] = asJSON; quoted {
			places[i] = inJSON
		}
	}
	return places, nil
}

// placed resolves a text whose values are written as their places want it. One
// expression alone is the whole text and no part of one.
func (v *resolution) placed(text string, places func([]part) ([]place, error)) (any, error) {
	parts, err := split(text)
	if err != nil {
		return nil, err
	}
	where, err := places(parts)
	if err != nil {
		return nil, err
	}
	if len(parts) == 1 && parts[0].expr != "" && where[0] != asWhole {
		return v.any(text)
	}
	var b strings.Builder
	for i, p := range parts {
		value, err := v.one(p)
		if err == nil && p.text == "" {
			var secret string
			if secret, err = put(where[i], value); p.variable != "" {
				v.secrets = append(v.secrets, secret)
			}
			value = secret
		}
		if err != nil {
			return nil, fmt.Errorf("${{ %s }}: %w", clipped(p.expr+p.variable), err)
		}
		if b.WriteString(plainText(value)); b.Len() > maxValue {
			return nil, errValue
		}
	}
	return b.String(), nil
}

// one is the value of a part.
func (v *resolution) one(p part) (any, error) {
	if p.expr == "" {
		return v.partText(p, v.frame, &v.secrets)
	}
	got, err := v.value(p.expr, v.frame)
	if err == nil && got == nil {
		err = noValue(p)
	}
	return got, err
}
