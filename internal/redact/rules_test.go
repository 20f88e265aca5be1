package redact

import (
	"slices"
	"strings"
	"testing"
)

func TestRulesKeep(t *testing.T) {
	token := "ghp_" + strings.Repeat("aB3d", 9)
	r := &Rules{Names: []string{"Session_Token", "*_fixture_password"}, Patterns: []string{"test-*", "ghp_*", "*fixture*"}}
	for _, c := range []struct{ name, doc, want string }{
		{"a name", `{"session_token":"abc123def456ghi"}`, `{"session_token":"abc123def456ghi"}`},
		{"a name with a star", `{"db_fixture_password":"hunter2real"}`, `{"db_fixture_password":"hunter2real"}`},
		{"another name", `{"access_token":"abc123def456ghi"}`, `{"access_token":"[REDACTED:token]"}`},
		{"a value", `{"password":"test-hunter2real"}`, `{"password":"test-hunter2real"}`},
		{"a value in a text", `{"x":"DB_PASSWORD=test-hunter2real"}`, `{"x":"DB_PASSWORD=test-hunter2real"}`},
		{"a name in a text", `{"x":"session_token: abc123def456ghi789jkl"}`, `{"x":"session_token: abc123def456ghi789jkl"}`},
		{"a pair", `{"name":"session_token","value":"abc123def456ghi"}`, `{"name":"session_token","value":"abc123def456ghi"}`},
		{"a vendor's token under a name", `{"session_token":"` + token + `"}`, `{"session_token":"[REDACTED:github-token]"}`},
		{"a vendor's token that fits", `{"x":"` + token + `"}`, `{"x":"[REDACTED:github-token]"}`},
		{"a vendor's token within what fits", `{"password":"test-` + token + `"}`, `{"password":"test-[REDACTED:github-token]"}`},
	} {
		got, _, err := r.JSON([]byte(c.doc))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestFindNamesThePlaces(t *testing.T) {
	token := "ghp_" + strings.Repeat("aB3d", 9)
	doc := `{"a/b":[{"x":1},{"password":"hunter2real"}],"env":[{"value":"hunter2real","name":"DB_PASSWORD"}],"argv":["mysql","-phunter2real"],"note":"a ` + token + ` b DB_PASSWORD=hunter2real","` + token + `":{"pin":123456,"token":"` + token + `"},"ok":1}`
	_, got, err := (*Rules)(nil).Find([]byte(doc))
	want := []string{"/a~1b/1/password", "/env/0/value", "/argv/1", "/note", "/note", "/[REDACTED:github-token]", "/[REDACTED:github-token]/pin", "/[REDACTED:github-token]/token"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
}
