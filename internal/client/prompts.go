package client

import "github.com/piton-project/piton"

// MaxPromptText bounds a prompt's text in a list of prompts.
const MaxPromptText = 4 << 10

// CutPrompt keeps the beginning of a prompt.
func CutPrompt(s string) string { return piton.Cut(s, MaxPromptText) }
