package tools

import (
	"strings"
	"testing"
)

// A program stands in one row.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, family := range families {
		for _, tool := range family {
			for name := range strings.FieldsSeq(tool.Names + " " + tool.Aliases) {
				if seen[name] {
					t.Errorf("%q stands in two rows", name)
				}
				seen[name] = true
			}
		}
	}
}
