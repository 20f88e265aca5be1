package redact

import (
	"strings"
	"sync"
)

// role is what a member of an object is to its neighbours.
type role uint8

const (
	none          role = iota
	nameRole           // it names the member "value"
	valueRole          // a name beside it may say what it is
	holderRole         // it holds what the name of the object says
	argvRole           // a program, a command line
	pinRole            // a number may be a secret
	harmlessRole       // it tells about a secret and is none
	typeRole           // as that; it may say that "result" below is a secret
	resultRole         // it holds what the name or the type of the object says
	stdinRole          // a program reads it
	sensitiveRole      // true: the member "value" is a secret
)

// holds tells whether a member holds what the name of its object says.
func (r role) holds() bool { return r == valueRole || r == holderRole || r == resultRole }

// tells tells whether a member only tells about a secret.
func (r role) tells() bool { return r == harmlessRole || r == typeRole }

var roles = sync.OnceValue(func() map[string]role {
	m := map[string]role{}
	for r, list := range [...]string{
		nameRole:      `name key header parameterkey variable`,
		valueRole:     `value parametervalue val`,
		holderRole:    `data content default plaintext`,
		argvRole:      `command cmd argv args arguments entrypoint program`,
		pinRole:       `pin otp passcode`,
		typeRole:      `type`,
		resultRole:    `result`,
		stdinRole:     `stdin input`,
		sensitiveRole: `sensitive`,
		harmlessRole: `user username host id scope scopes created updated expires format description region file path url profile provider kind status label email
			version created_at updated_at expires_at createdat updatedat expiresat client_id clientid algorithm alg domain title text pattern service hash
			fingerprint color colors sha256 checksum uuid ref arn $ref usage line model date timestamp namespace permissions`,
	} {
		for name := range strings.FieldsSeq(list) {
			m[name] = role(r)
		}
	}
	return m
})

// Neighbours tells whether what a member of this name means can depend on the
// members beside it, or what an element of an array under this name means on the
// elements before it. Who looks at a part of a document alone must take such a
// container whole.
func Neighbours(name string) bool {
	switch roleOf(name) {
	case nameRole, valueRole, argvRole, stdinRole, sensitiveRole:
		return true
	}
	return false
}

// Above tells whether what stands under this name can depend on the members of the
// objects around it: a resource of Terraform says its type above its attributes.
func Above(name string) bool { return name == "attributes" }

func roleOf(name string) role {
	if len(name) < 2 || len(name) > 16 {
		return none
	}
	if *table().letters.at(0, name[0], name[1])&roleBegins == 0 {
		return none
	}
	for i := 0; i < len(name); i++ {
		if name[i] >= 'A' && name[i] <= 'Z' {
			return roles()[strings.ToLower(name)]
		}
	}
	return roles()[name]
}
