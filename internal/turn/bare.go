package turn

import (
	"slices"
	"strings"
	"unicode"
)

// bareWords are what people say to have an agent go on: they name no work.
var bareWords = strings.Split("continue|go|go on|go ahead|carry on|keep going|proceed|resume|next|next step|yes|yep|y|ok|okay|sure|fine|do it|please|now|and now|"+
	"weiter|mach weiter|ja|gut|bitte|oui|continuer|continuez|vas y|sí|si|sigue|continúa|adelante|sim|continua|continuar|да|дальше|продолжай|"+
	"继续|好|好的|是|はい|続けて|次|네|계속", "|")

// bare tells whether a prompt only says to go on.
func bare(prompt string) bool {
	if len(prompt) > 60 {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	return len(words) > 0 && allBare(words)
}

func allBare(words []string) bool {
	for n := 1; n <= min(2, len(words)); n++ {
		if slices.Contains(bareWords, strings.Join(words[:n], " ")) && allBare(words[n:]) {
			return true
		}
	}
	return len(words) == 0
}
