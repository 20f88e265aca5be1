package redact

import (
	"strings"
)

// holds tells whether a member holds what the name of its object says.
func (r role) holds() bool { return r == valueRole || r == holderRole || r == resultRole }

// tells tells whether a member only tells about a secret.
func (r role) tells() bool { return r == harmlessRole || r == typeRole }

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
