package redact

import (
	"strings"
	"sync"
)

// role is what a member of an object is to its neighbours.
type role uint8

const (
	none         role = iota
	nameRole          // it names the member "value"
	valueRole         // a name beside it may say what it is
	holderRole        // it holds what the name of the object says
	argvRole          // a program, a command line
	pinRole           // a number may be a secret
	harmlessRole      // it tells about a secret and is none
)

var roles = sync.OnceValue(func() map[string]role {
	return map[string]role{
		"name": nameRole, "key": nameRole, "header": nameRole, "parameterkey": nameRole, "variable": nameRole, "env": none,
		"value": valueRole, "parametervalue": valueRole, "val": valueRole, "result": holderRole, "data": holderRole, "content": holderRole, "default": holderRole, "plaintext": holderRole,
		"command": argvRole, "cmd": argvRole, "argv": argvRole, "args": argvRole, "arguments": argvRole, "entrypoint": argvRole, "program": argvRole,
		"pin": pinRole, "otp": pinRole, "passcode": pinRole,
		"type": harmlessRole, "user": harmlessRole, "username": harmlessRole, "host": harmlessRole, "id": harmlessRole, "scope": harmlessRole, "scopes": harmlessRole, "created": harmlessRole,
		"updated": harmlessRole, "expires": harmlessRole, "format": harmlessRole, "description": harmlessRole, "region": harmlessRole, "file": harmlessRole, "path": harmlessRole, "url": harmlessRole,
		"profile": harmlessRole, "provider": harmlessRole, "kind": harmlessRole, "status": harmlessRole, "label": harmlessRole, "email": harmlessRole, "version": harmlessRole, "created_at": harmlessRole,
		"updated_at": harmlessRole, "expires_at": harmlessRole, "createdat": harmlessRole, "updatedat": harmlessRole, "expiresat": harmlessRole, "client_id": harmlessRole, "clientid": harmlessRole,
		"algorithm": harmlessRole, "alg": harmlessRole, "domain": harmlessRole, "title": harmlessRole, "text": harmlessRole, "pattern": harmlessRole, "service": harmlessRole, "hash": harmlessRole,
		"fingerprint": harmlessRole, "color": harmlessRole, "colors": harmlessRole, "sha256": harmlessRole, "checksum": harmlessRole, "uuid": harmlessRole, "ref": harmlessRole, "arn": harmlessRole,
		"$ref": harmlessRole, "usage": harmlessRole, "line": harmlessRole, "model": harmlessRole, "date": harmlessRole, "timestamp": harmlessRole, "namespace": harmlessRole, "permissions": harmlessRole,
	}
})

// Bounds of what is read as a command line.
const (
	maxArgv = 64
	maxWord = 1 << 10
)

// Neighbours tells whether what a member of this name means can depend on the
// members beside it, or what an element of an array under this name means on the
// elements before it. Who looks at a part of a document alone must take such a
// container whole.
func Neighbours(name string) bool {
	switch roleOf(name) {
	case nameRole, valueRole, argvRole:
		return true
	}
	return false
}

// roleBegins has a bit for the first two letters of each name of roles.
var roleBegins = sync.OnceValue(func() (t [32 * 32 / 64]uint64) {
	for name := range roles() {
		n := ending(0, name[0], name[1])
		t[n/64] |= 1 << (n % 64)
	}
	return t
})

func roleOf(name string) role {
	if len(name) < 2 || len(name) > 16 {
		return none
	}
	if n := ending(0, name[0], name[1]); roleBegins()[n/64]&(1<<(n%64)) == 0 {
		return none
	}
	for i := 0; i < len(name); i++ {
		if name[i] >= 'A' && name[i] <= 'Z' {
			return roles()[strings.ToLower(name)]
		}
	}
	return roles()[name]
}

// cookieKind is of keys whose values are secrets where they look like cookies.
const cookieKind = "cookie"

// named notes what a key says.
func (f *frame) named(key string, r *Rules) {
	f.role = roleOf(key)
	f.member.kind, f.member.level = r.writtenName(key)
	if f.member.level > 0 {
		return
	}
	switch len(key) {
	case len("cookie"), len("cookies"), len("set-cookie"):
		if strings.EqualFold(key, "cookie") || strings.EqualFold(key, "set-cookie") || strings.EqualFold(key, "cookies") {
			f.member = meaning{cookieKind, unsure}
		} else if key == "stringData" {
			f.member = meaning{"secret", unsure}
		}
	}
}

// says is what the names around say of a string that is a value, and where it
// stands.
func (f *frame) says() (meaning, place) {
	switch {
	case f.member.level > 0:
		return f.member, inMember
	case f.role == valueRole && f.more != nil && f.more.pair.level > 0:
		return f.more.pair, inMember
	case f.inherit.level == 0 || f.role == harmlessRole || f.role == nameRole && f.object:
		return meaning{}, 0
	case f.role == valueRole || f.role == holderRole || !f.object && f.inherit.level == sure:
		return f.inherit, inMember
	}
	return meaning{f.inherit.kind, unsure}, inMember
}

// takes tells whether a string is a secret, by what its name says.
func (m meaning) takes(v string, p place) bool {
	if m.kind == cookieKind {
		return isCookie(v) || len(v) >= 16 && random(v) && !harmlessValue(v)
	}
	if m.level == unsure && p == inMember && (m.kind == "secret" || m.kind == "credential") && len(v) >= 8 && mixed(v) && !dated(v) {
		return !harmlessValue(v)
	}
	return m.fits(v, p)
}

// dated tells whether a value begins like a date or a version.
func dated(v string) bool {
	return len(v) >= 8 && digit(v[0]) && (v[4] == '-' && digit(v[5]) || v[1] == '.' || v[2] == '.')
}

// array looks at an array of strings that has ended: a command line, or a pair
// of a name and a value in a list.
func (d *document) array(f *frame) {
	if f.others || f.object {
		return
	}
	if len(f.more.strings) == 2 {
		if kind, level := d.rules.writtenName(f.more.strings[0].text); level > 0 {
			m, v := meaning{kind, level}, f.more.strings[1]
			if m.takes(v.text, inMember) && !strings.Contains(v.text, "[REDACTED:") {
				f.index = int32(v.index)
				d.takeOut(v.from, v.to, v.text, kindOf(v.text, kind))
			}
			return
		}
	}
	dash := f.more.command != ""
	for _, p := range f.more.strings {
		dash = dash || strings.HasPrefix(p.text, "-")
	}
	if dash {
		d.commandLine(f)
	}
}

// commandLine reads an array as a line of a shell.
func (d *document) commandLine(f *frame) {
	var line strings.Builder
	if f.more.command != "" && strings.IndexByte(f.more.command, '\n') < 0 {
		line.WriteString(f.more.command + " ")
	}
	at := make([]int, len(f.more.strings))
	for i, p := range f.more.strings {
		word := p.text
		if strings.ContainsAny(word, " \t\n\"'`\\;|&(){}<>,") || word == "" {
			if strings.IndexByte(word, '\'') >= 0 {
				word = "_" // it was looked at as a text
			} else {
				word = "'" + word + "'"
			}
		}
		at[i] = line.Len()
		if word != p.text {
			at[i]++
		}
		line.WriteString(word)
		line.WriteByte(' ')
	}
	s := strings.TrimSuffix(line.String(), " ")
	w := walker{text: s, rules: d.rules, places: []span{}}
	w.walk()
	for _, x := range w.places {
		for i, p := range f.more.strings {
			if x.from < at[i] || x.to > at[i]+len(p.text) || p.text == "" || s[at[i]:at[i]+len(p.text)] != p.text {
				continue
			}
			from, to := x.from-at[i], x.to-at[i]
			found := 1 + strings.Count(p.text, "[REDACTED:")
			f.more.strings[i].text = "" // once
			f.index = int32(p.index)
			d.edit(edit{p.from, p.to, p.text[:from] + mark(x.kind) + p.text[to:], found, d.path()})
		}
	}
}
