package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/config"
)

func TestPrices(t *testing.T) {
	for _, x := range []struct {
		name, text string
		want       map[string]agent.Price
		problem    string
	}{
		{"none", "", nil, ""},
		{"whole", "run:\n  agent: codex\n  prices:\n    gpt-5.5: {input: 1.25, output: 10, cache_read: 0.125, cache_write: 2}\n",
			map[string]agent.Price{"gpt-5.5": {Input: 1.25, Output: 10, CacheRead: 0.125, CacheWrite: 2}}, ""},
		{"the cache at the input's price", "run: {prices: {codex: {input: 2, output: 8}}}\n", map[string]agent.Price{"codex": {Input: 2, Output: 8, CacheRead: 2, CacheWrite: 2}}, ""},
		{"a model of another name", "run: {prices: {gemini-2.5-pro: {input: 0, output: 0}}}\n", map[string]agent.Price{"gemini-2.5-pro": {}}, ""},
		{"without output", "run: {prices: {codex: {input: 2}}}\n", nil, "the price of codex has no output"},
		{"misspelt", "run: {prices: {codex: {input: 2, outpt: 8}}}\n", nil, `unknown key "outpt" in the price of codex; did you mean output?`},
		{"below nothing", "run: {prices: {codex: {input: -2, output: 8}}}\n", nil, `input of codex is not a price in dollars: "-2"`},
		{"no number", "run: {prices: {codex: {input: .nan, output: 8}}}\n", nil, `input of codex is not a price in dollars`},
		{"a number alone", "run: {prices: {codex: 7}}\n", nil, "the price of codex wants input and output"},
		{"a list", "run: {prices: [7]}\n", nil, "it wants models with their prices"},
		{"an agent that is none", "run: {agent: copilot}\n", nil, `"copilot" is none of claude, gemini, codex`},
	} {
		file := userFile(t, x.text)
		c := config.Load(config.Places{UserFile: file, Getenv: func(string) string { return "" }})
		if len(c.Run.Prices) != len(x.want) {
			t.Errorf("%s: got %v, want %v", x.name, c.Run.Prices, x.want)
		}
		if _, set := c.From["run.prices"]; set != (len(x.want) > 0) {
			t.Errorf("%s: got that the file sets prices: %t", x.name, set)
		}
		for model, p := range x.want {
			if c.Run.Prices[model] != p {
				t.Errorf("%s: got %v, want %v", x.name, c.Run.Prices[model], p)
			}
		}
		var said []string
		for _, p := range c.Problems {
			said = append(said, p.Error())
		}
		if got := strings.Join(said, "\n"); x.problem == "" && got != "" || !strings.Contains(got, x.problem) {
			t.Errorf("%s: got the problems %q, want %q", x.name, got, x.problem)
		}
	}
}

func userFile(t *testing.T, text string) string {
	t.Helper()
	path := t.TempDir() + "/config.yaml"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
