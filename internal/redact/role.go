package redact

import (
	"slices"
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

// roleNames are what names.txt calls the roles.
var roleNames = []string{none: "", nameRole: "name", valueRole: "value", holderRole: "holder", argvRole: "argv", pinRole: "pin",
	harmlessRole: "harmless", typeRole: "type", resultRole: "result", stdinRole: "stdin", sensitiveRole: "sensitive"}

var (
	// holds are the roles of members that hold what the name of their object says.
	holds = [...]bool{valueRole: true, holderRole: true, resultRole: true, sensitiveRole: false}
	// tells are those of members that only tell about a secret.
	tells = [...]bool{harmlessRole: true, typeRole: true, sensitiveRole: false}
	// neighbours are those of members of which Neighbours speaks.
	neighbours = [...]bool{nameRole: true, valueRole: true, argvRole: true, stdinRole: true, sensitiveRole: true}
)

var roles = sync.OnceValue(func() map[string]role {
	m := make(map[string]role, 128)
	for row := range nameRows {
		if row.where != "role" {
			continue
		}
		of := role(slices.Index(roleNames, row.kind))
		for name := range strings.FieldsSeq(row.words) {
			m[name] = of
		}
	}
	return m
})

// Above tells whether what stands under this name can depend on the members of the
// objects around it: a resource of Terraform says its type above its attributes.
func Above(name string) bool { return name == "attributes" }

// mayBeMember is a cheap look before the name of a member is looked up.
func (t *tables) mayBeMember(name string) bool {
	return name != "" && len(name) <= 16 && *t.letters.at(0, name[0], byteAt(name, 1))&memberBegins != 0
}

// Neighbours tells whether what a member of this name means can depend on the
// members beside it, or what an element of an array under this name means on the
// elements before it. Who looks at a part of a document alone must take such a
// container whole.
func Neighbours(name string) bool {
	return table().mayBeMember(name) && neighbours[roles()[strings.ToLower(name)]]
}
