package git

import (
	"strings"
	"testing"
)

func TestNormalise(t *testing.T) {
	const repo = "github.com/Org/Repo"
	for _, tc := range []struct{ name, url, want string }{
		{"scp form", "git@github.com:Org/Repo.git", repo},
		{"scp form without user", "github.com:Org/Repo", repo},
		{"scp form from the root", "git@github.com:/Org/Repo.git/", repo},
		{"https with password", "https://user:pw@github.com/Org/Repo.git/", repo},
		{"https with token", "https://ghp_abc@github.com/Org/Repo", repo},
		{"ssh with port", "ssh://git@github.com:22/Org/Repo", repo},
		{"another port", "https://GitHub.com:8443/Org/Repo.git", repo},
		{"git protocol", "git://github.com/Org/Repo.git", repo},
		{"scheme in capitals", "HTTPS://github.com/Org/Repo", repo},
		{"query", "https://github.com/Org/Repo.git?token=secret", repo},
		{"double slash", "https://github.com//Org/Repo", repo},
		{"deep", "https://gitlab.example/a/b/c.git", "gitlab.example/a/b/c"},
		{"home", "ssh://host/~me/repo", "host/~me/repo"},
		{"IPv6", "ssh://git@[::1]:22/Org/Repo", "::1/Org/Repo"},
		{"IPv6, scp form", "git@[::1]:Org/Repo", "::1/Org/Repo"},
		{"password with at sign", "https://user:p@ss@github.com/Org/Repo", repo},
		{"password in scp form", "user:pw@github.com:Org/Repo", repo},
		{"password with slash", "https://user:p/w@github.com/Org/Repo", ""},
		{"password of digits with slash", "https://user:12/34@github.com/Org/Repo", ""},
		{"an empty port", "https://github.com:/Org/Repo", repo},
		{"a port of six digits", "https://github.com:123456/Org/Repo", ""},
		{"a port that is no number", "https://github.com:a/Org/Repo", ""},
		{"brackets that do not close", "ssh://git@[::1/Org/Repo", ""},
		{"fragment", "https://example.com/Org/Repo#readme", "example.com/Org/Repo"},
		{"no port behind brackets", "ssh://git@[::1]22/Org/Repo", ""},
		{"a scheme that git does not have", "rsync://github.com/Org/Repo", ""},
		{"a file on another machine", "file://server/Org/Repo", ""},
		{"token with slash", "https://to/ken@github.com/Org/Repo", ""},
		{"path", "/srv/repo.git", ""},
		{"relative path", "../repo", ""},
		{"name", "repo", ""},
		{"drive", `C:\repo`, ""},
		{"drive with slashes", "C:/repo", ""},
		{"path with colon", "./a:b", ""},
		{"file", "file:///srv/repo.git", ""},
		{"helper", "ext::sh -c x", ""},
		{"no path", "https://github.com/", ""},
		{"no host", "https:///Org/Repo", ""},
		{"line break", "https://github.com/Org/Re\npo", ""},
		{"empty", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Normalise(tc.url); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func FuzzNormalise(f *testing.F) {
	f.Add("me", "pw", "github.com", "Org/Repo")
	f.Add("a/b", "1/2", "h:1", "x:y")
	f.Fuzz(func(t *testing.T, user, password, host, path string) {
		const mark = "SECRETMARK"
		for _, url := range []string{
			"https://" + user + ":" + password + mark + "@" + host + "/" + path,
			"https://" + user + mark + "@" + host + "/" + path,
			user + ":" + password + mark + "@" + host + ":" + path,
		} {
			got := Normalise(url)
			if strings.Contains(strings.ToUpper(got), mark) && !strings.Contains(strings.ToUpper(host+path), mark) {
				// A "?" or "#" before the mark ends the host, so what follows it was never kept.
				t.Errorf("got %q from %q: a credential", got, url)
			}
			if got != "" && Normalise("https://"+got) != got && !strings.Contains(got, ":") {
				t.Errorf("got %q, then %q", got, Normalise("https://"+got))
			}
		}
	})
}
