package packages

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

const version = "v0.0.1"

var (
	dist    string // what scripts/dist makes for this system
	archive = "piton-" + version + "-linux-" + runtime.GOARCH
	cpu     = strings.Replace(runtime.GOARCH, "amd64", "x64", 1) // as npm calls it
)

// builtEnv names a folder with what scripts/dist has made of this version.
const builtEnv = "PITON_TEST_DIST"

func TestMain(m *testing.M) { os.Exit(all(m)) }

func all(m *testing.M) int {
	for _, program := range []string{"npm", "xz"} { // a release needs them
		if _, err := exec.LookPath(program); err != nil && os.Getenv(need.RequireAll) != "1" {
			fmt.Fprintln(os.Stderr, "skipped: there is no", program)
			return 0
		}
	}
	if dist = os.Getenv(builtEnv); dist != "" {
		return m.Run()
	}
	var err error
	if dist, err = os.MkdirTemp("", "piton-dist-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dist)
	build := exec.Command("../../scripts/dist", version, "linux/"+runtime.GOARCH)
	build.Env = append(os.Environ(), "DIST="+dist, "QUICK=1")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "scripts/dist: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// one is the file of the release that a pattern names.
func one(t testing.TB, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dist, pattern))
	check(t, err)
	if len(files) != 1 {
		t.Fatalf("got %v, want one %s", files, pattern)
	}
	return files[0]
}

// carry copies files of the release to /dist in the root.
func (r *bare) carry(files ...string) {
	r.t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(r.t, err)
		r.write("dist/"+filepath.Base(file), string(text))
	}
}

// way is a way to install, and its undoing.
type way struct {
	name            string
	needs           []string // programs in the root, beside a shell and git
	install, remove func(t *testing.T, r *bare)
	bin             string // where piton lies then
	data            string // man pages and completions
}

var ways = []way{
	{name: "archive", bin: "/opt/" + archive, install: func(t *testing.T, r *bare) {
		r.carry(one(t, archive+".tar.xz"))
		check(t, os.Mkdir(r.path("opt"), 0o755))
		r.run("tar", "-C", "/opt", "-xJf", "/dist/"+archive+".tar.xz")
	}, remove: func(t *testing.T, r *bare) { r.run("rm", "-r", "/opt/"+archive) }},
	{name: "install.sh", bin: "/home/ada/.local/bin", data: "/home/ada/.local/share", install: func(t *testing.T, r *bare) {
		r.carry(one(t, "install.sh"), one(t, "SHA256SUMS"), one(t, archive+".tar.xz"))
		if got := r.run("sh", "/dist/install.sh", "--from", "/dist"); !strings.Contains(got, `export PATH="/home/ada/.local/bin:$PATH"`) {
			t.Errorf("it does not say what to do about PATH: %s", got)
		}
	}, remove: func(t *testing.T, r *bare) { r.run("sh", "/dist/install.sh", "--uninstall") }},
	{name: "deb", bin: "/usr/bin", data: "/usr/share", install: func(t *testing.T, r *bare) {
		check(t, os.MkdirAll(r.path("var/lib/dpkg/info"), 0o755))
		check(t, os.MkdirAll(r.path("var/lib/dpkg/updates"), 0o755))
		for _, file := range []string{"status", "available"} {
			check(t, os.WriteFile(r.path("var/lib/dpkg/"+file), nil, 0o644))
		}
		if got := run(t, nil, need.Program(t, "dpkg-deb"), "--ctrl-tarfile", one(t, "*_"+runtime.GOARCH+".deb")); strings.Contains(got, "postinst") || strings.Contains(got, "prerm") {
			t.Error("the package runs something")
		}
		run(t, nil, "dpkg", "--log=/dev/null", "--root="+r.dir, "-i", one(t, "*_"+runtime.GOARCH+".deb"))
	}, remove: func(t *testing.T, r *bare) { run(t, nil, "dpkg", "--log=/dev/null", "--root="+r.dir, "-r", "piton") }},
	{name: "rpm", bin: "/usr/bin", data: "/usr/share", install: func(t *testing.T, r *bare) {
		need.Program(t, "cpio")
		run(t, nil, "sh", "-c", need.Program(t, "rpm2cpio")+` "$0" | (cd "$1" && cpio -idm --quiet --no-absolute-filenames)`, one(t, "*."+map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]+".rpm"), r.dir)
	}},
	{name: "npm", needs: []string{"node"}, bin: "/usr/local/bin", install: func(t *testing.T, r *bare) {
		run(t, []string{"npm_config_cache=" + t.TempDir()}, "npm", "install", "--global", "--offline", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", r.path("usr/local"), one(t, "piton-linux-"+cpu+"-*.tgz"), one(t, "piton-[0-9]*.tgz"))
	}, remove: func(t *testing.T, r *bare) {
		run(t, []string{"npm_config_cache=" + t.TempDir()}, "npm", "uninstall", "--global", "--offline", "--prefix", r.path("usr/local"), "piton", "@piton/linux-"+cpu)
	}},
	{name: "container", bin: "/usr/local/bin", data: "/usr/local/share", install: func(t *testing.T, r *bare) {
		context := t.TempDir()
		run(t, nil, "tar", "-C", context, "--strip-components=1", "-xJf", one(t, archive+".tar.xz"))
		copyLines(t, context, r.dir)
	}},
}

// TestWays installs Piton each way, has an agent held, and removes it again. With -v and
// -parallel 1 it says how long that took (docs/install.md).
func TestWays(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			r := newBare(t, w.needs...)
			begin := time.Now()
			w.install(t, r)
			r.env[1] = "PATH=" + w.bin + ":" + strings.TrimPrefix(r.env[1], "PATH=")
			installed := time.Since(begin)
			r.firstHeldTurn()
			t.Logf("installed in %v, first held turn after %v", installed.Round(10*time.Millisecond), time.Since(begin).Round(10*time.Millisecond))

			if got := r.run("piton", "explain", "--limit", "1"); !strings.Contains(got, "held") {
				t.Errorf("explain does not say that it was held: %s", got)
			}
			if out, err := r.command(project, "piton", "explain", "--check").CombinedOutput(); exitOf(err) != 10 {
				t.Errorf("explain --check: got %v, want status 10\n%s", err, out)
			}
			r.run("piton", "doctor", "--agent", "claude")
			if w.data != "" {
				for _, file := range []string{"man/man1/piton.1", "bash-completion/completions/piton", "fish/*/piton.fish", "zsh/*/_piton"} {
					if found, _ := filepath.Glob(r.path(w.data + "/" + file)); len(found) != 1 {
						t.Errorf("%s/%s is not there", w.data, file)
					}
				}
			}
			r.run("piton", "uninstall", "--yes")
			if text, _ := os.ReadFile(r.path("home/ada/.claude/settings.json")); strings.Contains(string(text), "piton") {
				t.Errorf("the client's settings still name Piton: %s", text)
			}
			if w.remove == nil {
				return
			}
			w.remove(t, r)
			check(t, filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
				stays := strings.HasPrefix(path, r.path("dist")) || strings.Contains(path, "/.local/state/")
				if err != nil || stays || !d.Type().IsRegular() {
					return err
				}
				if strings.HasPrefix(d.Name(), "piton") {
					t.Errorf("%s is still there", path)
				}
				return err
			}))
			if _, err := os.Stat(r.path("home/ada/.local/state/piton/piton.db")); err != nil {
				t.Errorf("what was saved is gone with the programs: %v", err)
			}
		})
	}
}

func exitOf(err error) int {
	if x, ok := err.(*exec.ExitError); ok {
		return x.ExitCode()
	}
	return 0
}

// copyLines makes the root that a recipe of COPY lines makes of its context.
func copyLines(t *testing.T, context, root string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(context, "Containerfile"))
	check(t, err)
	copied := false
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		switch words[0] {
		case "FROM":
			if words[1] != "scratch" {
				t.Errorf("it begins with %s", words[1])
			}
		case "COPY":
			copied = true
			to := root + words[len(words)-1]
			check(t, os.MkdirAll(filepath.Dir(to+"x"), 0o755))
			for _, from := range words[1 : len(words)-1] {
				if strings.HasSuffix(from, "/") {
					from += "."
				}
				run(t, nil, "cp", "-R", filepath.Join(context, filepath.Clean(from))+strings.Repeat("/.", strings.Count(from, "/.")), to)
			}
		case "ENTRYPOINT":
			program := strings.Trim(words[1], `[]"`)
			if _, err := os.Stat(root + program); err != nil {
				t.Error(err)
			}
		default:
			t.Errorf("%s needs more than copying", words[0])
		}
	}
	if !copied {
		t.Error("nothing is copied")
	}
}

func TestInstallScriptRefusesAnotherArchive(t *testing.T) {
	from, home := t.TempDir(), t.TempDir()
	for _, file := range []string{"SHA256SUMS", archive + ".tar.xz"} {
		text, err := os.ReadFile(one(t, file))
		check(t, err)
		if file != "SHA256SUMS" {
			text[len(text)/2] ^= 1
		}
		check(t, os.WriteFile(filepath.Join(from, file), text, 0o644))
	}
	install := func(args ...string) (string, error) {
		c := exec.Command("sh", append([]string{one(t, "install.sh")}, args...)...)
		c.Env = append(os.Environ(), "HOME="+home)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"another sum":        {[]string{"--from", from}, "is not the one of the release"},
		"no such folder":     {[]string{"--from", from + "/none"}, "cannot get"},
		"without TLS":        {[]string{"--from", "http://example.org"}, "give an https:// URL or a folder"},
		"a relative path":    {[]string{"--prefix", "here"}, "give a path that begins with /"},
		"an unknown flag":    {[]string{"--root"}, "what is --root?"},
		"a value is missing": {[]string{"--prefix"}, "--prefix needs a value"},
	} {
		if out, err := install(c.args...); err == nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: got %v and %q, want it refused: %s", name, err, out, c.want)
		}
	}
	if left, _ := os.ReadDir(home); len(left) != 0 {
		t.Errorf("got %v in the home folder, want nothing", left)
	}
}

// TestFormula compares what the formula names with the files.
func TestFormula(t *testing.T) {
	text, err := os.ReadFile(one(t, "piton.rb"))
	check(t, err)
	found := regexp.MustCompile(`url "https://github.com/piton-project/piton/releases/download/`+version+`/([^"]+)"\s+sha256 "([0-9a-f]{64})"`).FindAllStringSubmatch(string(text), -1)
	if archives, _ := filepath.Glob(filepath.Join(dist, "piton-"+version+"-*.tar.xz")); len(found) != len(archives) {
		t.Fatalf("got %v, want all of %v: %s", found, archives, text)
	}
	for _, m := range found {
		file, err := os.ReadFile(one(t, m[1]))
		check(t, err)
		if got := fmt.Sprintf("%x", sha256.Sum256(file)); got != m[2] {
			t.Errorf("%s: got the sum %s, want %s", m[1], m[2], got)
		}
	}
	inside := run(t, nil, "tar", "-tJf", one(t, archive+".tar.xz"))
	for _, m := range regexp.MustCompile(`"((?:completions/|piton-hook)[^"]*)"`).FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(inside, archive+"/"+m[1]+"\n") {
			t.Errorf("the archive has no %s", m[1])
		}
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		run(t, nil, ruby, "-c", one(t, "piton.rb"))
	}
}

// TestSums compares SHA256SUMS with the files, and the version with it.
func TestSums(t *testing.T) {
	text, err := os.ReadFile(one(t, "SHA256SUMS"))
	check(t, err)
	named := map[string]bool{"SHA256SUMS": true}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		named[name] = true
		file, err := os.ReadFile(filepath.Join(dist, name))
		check(t, err)
		if got := fmt.Sprintf("%x", sha256.Sum256(file)); got != sum {
			t.Errorf("%s: got the sum %s, want %s", name, sum, got)
		}
	}
	files, err := os.ReadDir(dist)
	check(t, err)
	for _, f := range files {
		if !named[f.Name()] {
			t.Errorf("%s has no sum", f.Name())
		}
	}
	folder := t.TempDir()
	run(t, nil, "tar", "-C", folder, "-xJf", one(t, archive+".tar.xz"))
	for sums, want := range map[string]struct {
		status int
		says   string
	}{
		string(text): {0, "is the newest version there"},
		strings.ReplaceAll(string(text), version, "v0.1.0-rc.1"): {10, "v0.1.0-rc.1 is newer"},
		strings.ReplaceAll(string(text), version, "v0.0.1-rc.1"): {0, "is newer than v0.0.1-rc.1"},
		strings.ReplaceAll(string(text), version, "today"):       {2, "names no archive of a version"},
	} {
		file := filepath.Join(folder, "sums")
		check(t, os.WriteFile(file, []byte(sums), 0o644))
		out, err := exec.Command(filepath.Join(folder, archive, "piton"), "version", "--check", file).CombinedOutput()
		if exitOf(err) != want.status || !strings.Contains(string(out), want.says) {
			t.Errorf("got %v and %q, want status %d and %q", err, out, want.status, want.says)
		}
	}
}
