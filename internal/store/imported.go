package store

import (
	"crypto/sha256"
	"encoding/base32"
)

// forms are the forms of other programs' checkpoints that an import reads
// (docs/format.md, "Other programs' files").
var forms = []string{"conductor", "plan", "phases"}

// idEncoding writes ids in Crockford's base32 in lower case, as piton.NewID does.
var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// idLength is the number of characters behind the prefix of an id.
const idLength = 16

// ImportedID is the id that work of another program gets here: the same each
// time for what it called by one id in one form.
func ImportedID(prefix, form, id string) string {
	sum := sha256.Sum256([]byte(form + "\x00" + id))
	return prefix + idEncoding.EncodeToString(sum[:])[:idLength]
}

// ImportedIDs are the ids under which work may be kept here that another program
// called by this id: one for each form.
func ImportedIDs(prefix, id string) []string {
	ids := make([]string, len(forms))
	for i, form := range forms {
		ids[i] = ImportedID(prefix, form, id)
	}
	return ids
}
