package config_test

import (
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/config"
)

// TestStoreName: a store has one name from every folder and with every password, and no
// other store has it.
func TestStoreName(t *testing.T) {
	here, err := filepath.Abs("shared")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, x := range []struct{ name, spec, same string }{
		{"the local file", "", ""},
		{"the local file, named", "sqlite:/home/ann/piton.db", ""},
		{"a folder", "file:shared", "file:" + here},
		{"another folder", "file:other", "file:" + filepath.Join(filepath.Dir(here), "other")},
		{"a database", "postgres://ann:one@db.example/piton", "postgres://ann:two@db.example/piton"},
		{"another's", "postgres://bob:one@db.example/piton", "postgres://bob@db.example/piton"},
		{"without a user", "postgres://db.example/piton", "postgres://db.example/piton"},
	} {
		got := config.StoreName(x.spec)
		if got != config.StoreName(x.same) || (got == "") != (x.same == "") || len(got) > 16 {
			t.Errorf("%s: got %q, want what %s has: %q", x.name, got, x.same, config.StoreName(x.same))
		}
		if other, ok := seen[got]; ok && got != "" {
			t.Errorf("%s has the name of %s, %s", x.name, other, got)
		}
		seen[got] = x.name
	}
}

// TestBelowHome: ~ in a place that the settings name is the user's home.
func TestBelowHome(t *testing.T) {
	file := userFile(t, "store: sqlite:~/my.db\ncheckpoints: {archive: ~/old}\n")
	c := config.Load(config.Places{UserFile: file, Getenv: func(name string) string { return map[string]string{"HOME": "/home/ann"}[name] }})
	if c.Store != "sqlite:/home/ann/my.db" || c.Checkpoints.Archive != "/home/ann/old" {
		t.Errorf("got the store %s and the archive %s, want both below /home/ann", c.Store, c.Checkpoints.Archive)
	}
}
