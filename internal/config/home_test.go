package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/config"
)

func TestHome(t *testing.T) {
	work, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	without := config.UserHome(func(string) string { return "" })
	if !filepath.IsAbs(without) {
		t.Errorf("without HOME: got %q, want the password file's home or the temporary folder", without)
	}
	for _, c := range []struct {
		name              string
		env               map[string]string
		home, state, conf string
	}{
		{"HOME", map[string]string{"HOME": "/home/ann"}, "/home/ann", "/home/ann/.local/state/piton", "/home/ann/.config/piton/config.yaml"},
		{"no HOME", nil, without, without + "/.local/state/piton", without + "/.config/piton/config.yaml"},
		{"a HOME that is not a place", map[string]string{"HOME": "home"}, without, without + "/.local/state/piton", without + "/.config/piton/config.yaml"},
		{"the XDG folders", map[string]string{"HOME": "/h", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"}, "/h", "/s/piton", "/c/piton/config.yaml"},
		{"relative XDG folders are ignored", map[string]string{"HOME": "/h", "XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": "c"}, "/h", "/h/.local/state/piton", "/h/.config/piton/config.yaml"},
		{"the home of another system", map[string]string{"USERPROFILE": "/users/ann"}, "/users/ann", "/users/ann/.local/state/piton", "/users/ann/.config/piton/config.yaml"},
		{"PITON_HOME", map[string]string{"HOME": "/h", "XDG_STATE_HOME": "/s", "PITON_HOME": "/p"}, "/h", "/p", "/h/.config/piton/config.yaml"},
		{"a relative PITON_HOME", map[string]string{"HOME": "/h", "PITON_HOME": "p"}, "/h", filepath.Join(work, "p"), "/h/.config/piton/config.yaml"},
	} {
		getenv := func(k string) string { return c.env[k] }
		home, state, conf := config.UserHome(getenv), config.Home(getenv), config.UserFile(getenv)
		if home != c.home || state != c.state || conf != c.conf {
			t.Errorf("%s: got %s, %s, %s; want %s, %s, %s", c.name, home, state, conf, c.home, c.state, c.conf)
		}
	}
	for store, want := range map[string]string{"file:~/x": "file:/h/x", "sqlite:~": "sqlite:/h", "file:~x": "file:~x", "file:/~/x": "file:/~/x", "postgres://~/x": "postgres://~/x", "": ""} {
		if got := config.WithHome(store, func(k string) string { return map[string]string{"HOME": "/h"}[k] }); got != want {
			t.Errorf("%s: got %s, want %s", store, got, want)
		}
	}
}
