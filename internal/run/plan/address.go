package plan

import (
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"regexp"
	"slices"
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

var errBody = errors.New("nobody knows how a value is written in a body of this Content-Type; send JSON, a form or text/plain, or make the whole body in a step and send it as one value, as in body: ${{ steps.make.output }}")

// bodyPlaces says where in a body its values stand. An error where nobody knows what
// its kind makes of them; one value alone is the whole body and stands in no other.
func bodyPlaces(text string, parts []part, headers any) ([]place, error) {
	kind := contentType(headers)
	first := strings.TrimSpace(text)
	looksJSON := !strings.HasPrefix(first, "${{") && strings.ContainsAny(first[:min(1, len(first))], "{[")
	places := make([]place, len(parts))
	switch {
	case strings.HasSuffix(kind, "json"), kind == "" && looksJSON:
		return jsonPlaces(parts), nil
	case kind == "application/x-www-form-urlencoded":
		for i := range places {
			places[i] = asQuery
		}
	case kind == "", kind == "text/plain", len(parts) == 1, !hasValue(text):
	default:
		return nil, errBody
	}
	return places, nil
}

// contentType is what the headers say that a body is, without its parameters; "" where
// they do not.
func contentType(headers any) (kind string) {
	m, _ := headers.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(m)) { // the last is sent
		if strings.EqualFold(name, "Content-Type") {
			kind, _ = m[name].(string)
		}
	}
	if !hasValue(kind) {
		kind, _, _ = strings.Cut(kind, ";")
	}
	return strings.ToLower(strings.TrimSpace(kind))
}

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
			return "", errors.New("the value is not a port")
		}
	case asPath:
		return url.PathEscape(text), nil
	case asQuery:
		return url.QueryEscape(text), nil
	case asJSON:
		if s, ok := value.(string); ok && !json.Valid([]byte(s)) {
			return jsonText(s), nil
		}
	case inJSON:
		text = jsonText(text)
		return text[1 : len(text)-1], nil
	}
	return text, nil
}

// jsonText is a text as JSON has it.
func jsonText(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// jsonPlaces says where in a JSON text its values stand.
func jsonPlaces(parts []part) []place {
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
	return places
}
