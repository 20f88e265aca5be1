package project

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxMembers bounds the folders that are looked at for a member of a workspace.
const maxMembers = 64

// member is the folder of a member of a workspace: one that a manifest names so,
// or a folder of that name.
func (t *Tests) member(f *folder, of string) (dir string, ok bool) {
	if project, colon := strings.CutPrefix(of, ":"); colon { // gradle's :app:core
		dir = path.Join(f.dir, strings.ReplaceAll(project, ":", "/"))
		return dir, t.top.at(dir).exists()
	}
	if at := f.at(of); at != nil && at.exists() && !strings.HasPrefix(of, "@") {
		return at.dir, true
	}
	for top := range f.up() {
		for _, dir := range t.memberFolders(top) {
			if slices.Contains(namesOf(t.top.at(dir)), of) {
				return dir, true
			}
		}
	}
	return "", false
}

func (f *folder) exists() bool { return f != nil && len(f.files)+len(f.dirs) > 0 }

// memberFolders are those that the members of a workspace lie in, as its root
// names them; the customary ones where it does not.
func (t *Tests) memberFolders(f *folder) (all []string) { return t.inGlobs(f, workspaces(f)) }

// inGlobs are the folders that fit globs of members.
func (t *Tests) inGlobs(f *folder, globs []string) (all []string) {
	for _, glob := range globs {
		base, any := strings.CutSuffix("./"+strings.TrimPrefix(strings.TrimSuffix(glob, "/"), "./"), "/*")
		base, deep := strings.CutSuffix(base, "/**")
		at := f.at(base)
		switch {
		case at == nil || strings.ContainsAny(base, "*!"):
		case any || deep:
			for _, name := range slices.Sorted(slices.Values(at.dirs)) {
				if len(all) < maxMembers && !skipped(name) {
					all = append(all, path.Join(at.dir, name))
				}
			}
		case at.exists():
			all = append(all, at.dir)
		}
	}
	return all
}

// customary are the folders in which the members of workspaces lie.
var customary = []string{"packages/*", "apps/*", "libs/*", "crates/*", "modules/*", "services/*", "tools/*", "plugins/*", "*"}

// workspaces are the globs of members that a root names.
func workspaces(f *folder) (list []string) {
	var in, pnpm struct{ Packages []string }
	if named := readManifest(f.read("package.json")).Workspaces; json.Unmarshal(named, &list) != nil {
		_ = json.Unmarshal(named, &in)
	}
	readYAML(f.read("pnpm-workspace.yaml"), &pnpm)
	list = slices.Concat(list, in.Packages, pnpm.Packages, crateList(f, "members"))
	if len(list) == 0 {
		return customary
	}
	return list
}

// namesOf are the names that a folder's manifests give it.
func namesOf(f *folder) (all []string) {
	if f == nil {
		return nil
	}
	if name := readManifest(f.read("package.json")).Name; name != "" {
		all = append(all, name)
	}
	for _, file := range []string{"Cargo.toml", "pyproject.toml"} {
		if found := manifestName().FindStringSubmatch(f.read(file)); found != nil {
			all = append(all, found[1])
		}
	}
	if found := artifact().FindStringSubmatch(parent().ReplaceAllString(f.read("pom.xml"), "")); found != nil {
		all = append(all, found[1])
	}
	return append(all, path.Base(f.dir))
}

var (
	manifestName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^name\s*=\s*["']([^"']+)["']`) })
	parent       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<parent>.*?</parent>`) })
	artifact     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<artifactId>\s*([^<\s]+)`) })
)

// cargo is what the folder's Cargo.toml says, and what of it is about a workspace.
func (f *folder) cargo() (manifest, workspace map[string]any) {
	manifest, _ = readTOML(f.read("Cargo.toml"))
	workspace, _ = manifest["workspace"].(map[string]any)
	return manifest, workspace
}

// crateList is a list of globs that the workspace of a Cargo.toml names.
func crateList(f *folder, key string) (globs []string) {
	_, workspace := f.cargo()
	for _, glob := range texts(workspace[key]) {
		globs = append(globs, strings.TrimSuffix(path.Clean(glob), "/"))
	}
	return globs
}
