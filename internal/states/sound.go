package states

import "github.com/piton-project/piton/internal/redact"

// compact tells whether a text is an object in compact form.
func compact(text []byte) bool {
	state, err := Compact(text)
	return err == nil && len(state) == len(text)
}

// free tells whether a document holds no secret.
func free(rules *redact.Rules, doc []byte) bool {
	_, taken, err := rules.JSON(doc)
	return err == nil && taken == 0
}
