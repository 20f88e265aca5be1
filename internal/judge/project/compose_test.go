package project

import (
	"fmt"
	"strings"
	"testing"
)

// TestService asks what compose files say of services: which folders are mounted.
func TestService(t *testing.T) {
	files := tree(t, `
-- compose.yaml
services:
  web: &web
    build: .
    container_name: shop
    volumes:
      - .:/app
      - cache:/cache
  api:
    volumes: ["./api:/app:cached", "${HOME}/x:/x"]
  long:
    build: {context: ./long}
    volumes:
      - {type: bind, source: ./long, target: /app}
      - {type: volume, source: data, target: /data}
  pwd:
    volumes: ["${PWD}/sub:/app"]
  up:
    volumes: ["..:/app"]
  beside:
    build: ../other
    volumes: ["../other:/app"]
  variable:
    volumes: ["${CODE}:/app"]
  same: *web
  db:
    image: postgres
-- compose.override.yaml
services:
  db:
    volumes: ["./db:/seed"]
-- sub/Dockerfile
x
-- deploy/ci.yml
services:
  web:
    volumes: ["..:/app"]
-- broken/compose.yml
services: [
`)
	tests := AtRoot(files)
	for _, c := range []struct{ dir, files, name, want string }{
		{"", "", "web", "all; built"},
		{"sub", "", "web", "all; built"},
		{"", "", "shop", "all; built"},
		{"", "", "shop-web-1", "all; built"},
		{"", "", "api", "api"},
		{"", "", "long", "long; built"},
		{"", "", "pwd", "sub"},
		{"", "", "up", "all"},
		{"", "", "beside", ""},
		{"", "", "variable", ""},
		{"", "", "same", "all; built"},
		{"", "", "db", "db"},
		{"", "", "none", "unknown"},
		{"", "deploy/ci.yml", "web", "all"},
		{"deploy", "ci.yml", "web", "all"},
		{"", "none.yml", "web", "unknown"},
		{"", "$FILE", "web", "unknown"},
		{"broken", "", "web", "unknown"},
	} {
		s, known := tests.Service(c.dir, strings.Fields(c.files), c.name)
		var got []string
		for _, dir := range s.Folders {
			if dir == "" {
				dir = "all"
			}
			got = append(got, dir)
		}
		if s.Built {
			got = append(got, "built")
		}
		if !known {
			got = []string{"unknown"}
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%s: got %q, want %q", fmt.Sprint(c), got, c.want)
		}
	}
}
