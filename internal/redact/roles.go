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

// roleNames are the names of the members with a role.
var roleNames = [...]string{
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
}

var roles = sync.OnceValue(func() map[string]role {
	m := make(map[string]role, 128)
	for r, names := range roleNames {
		for name := range strings.FieldsSeq(names) {
			m[name] = role(r)
		}
	}
	return m
})
