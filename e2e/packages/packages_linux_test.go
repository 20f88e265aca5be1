package packages

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
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
		file := one(t, "*."+map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]+".rpm")
		if got := run(t, nil, need.Program(t, "rpm"), "-qp", "--scripts", file); got != "" {
			t.Errorf("the package runs something: %s", got)
		}
		run(t, nil, "rpm", "--root", r.dir, "-i", file)
	}, remove: func(t *testing.T, r *bare) { run(t, nil, "rpm", "--root", r.dir, "-e", "piton") }},
	{name: "npm", needs: []string{"node"}, bin: "/usr/local/bin", install: func(t *testing.T, r *bare) {
		run(t, []string{"npm_config_cache=" + t.TempDir()}, "npm", "install", "--global", "--offline", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", r.path("usr/local"), one(t, "piton-linux-"+cpu+"-*.tgz"), one(t, "piton-[0-9]*.tgz"))
	}, remove: func(t *testing.T, r *bare) {
		run(t, []string{"npm_config_cache=" + t.TempDir()}, "npm", "uninstall", "--global", "--offline", "--prefix", r.path("usr/local"), "piton", "@piton/linux-"+cpu)
	}},
	{name: "container", bin: "/usr/local/bin", data: "/usr/local/share", install: func(t *testing.T, r *bare) {
		context := t.TempDir()
		run(t, nil, "tar", "-C", context, "--strip-components=1", "-xJf", one(t, archive+".tar.xz"))
		image(t, context, r)
	}},
	{name: "formula", bin: brew + "/bin", install: func(t *testing.T, r *bare) {
		homebrew(t, r.dir, "linux", runtime.GOARCH)
		for _, file := range []string{"etc/bash_completion.d/piton", "share/zsh/site-functions/_piton", "share/fish/vendor_completions.d/piton.fish", "share/man/man1/piton.1"} {
			if _, err := os.Stat(r.path(brew + "/" + file)); err != nil {
				t.Error(err)
			}
		}
	}, remove: func(t *testing.T, r *bare) { run(t, nil, "rm", "-r", r.path(brew)) }},
}

// brew is where Homebrew lies on Linux.
const brew = "/home/linuxbrew/.linuxbrew"

// homebrew installs the formula for a system in a root, by the words that Homebrew gives it.
func homebrew(t *testing.T, root, system, arch string) {
	t.Helper()
	run(t, nil, need.Program(t, "ruby"), "testdata/formula.rb", one(t, "piton.rb"), dist, root, brew,
		strings.Replace(system, "darwin", "macos", 1), map[string]string{"amd64": "intel", "arm64": "arm"}[arch])
}

// image builds the image of a folder with its recipe, and copies from it what the recipe
// says that one copies.
func image(t *testing.T, context string, r *bare) {
	t.Helper()
	dir := t.TempDir()
	buildah := func(args ...string) string {
		return strings.TrimSpace(run(t, nil, append([]string{need.Program(t, "buildah"), "--storage-driver", "vfs", "--root", dir + "/root", "--runroot", dir + "/run"}, args...)...))
	}
	buildah("bud", "--quiet", "--isolation", "chroot", "--tag", "piton", "--file", context+"/Containerfile", context)
	if got := buildah("inspect", "--format", "{{.OCIv1.Config.Entrypoint}}", "piton"); got != "[/usr/local/bin/piton]" {
		t.Errorf("the image starts %s", got)
	}
	container := buildah("from", "piton")
	defer buildah("rm", container)
	if got := buildah("run", "--isolation", "chroot", container, "--", "/usr/local/bin/piton", "version"); got != "piton "+version {
		t.Errorf("in the image: got %q, want %s", got, version)
	}
	check(t, os.MkdirAll(r.path("usr/local"), 0o755))
	run(t, nil, "cp", "-R", buildah("mount", container)+"/usr/local/.", r.path("usr/local"))
}

// timesEnv asks TestTimes for so many rounds of each way.
const timesEnv = "PITON_TEST_TIMES"

// TestTimes measures docs/install.md's times, one way after the other, on a machine that
// does nothing else:
//
//	make dist VERSION=v0.0.1
//	PITON_TEST_DIST=$PWD/dist PITON_TEST_TIMES=5 go test ./e2e/packages -count=1 -v -run TestTimes
func TestTimes(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv(timesEnv))
	if rounds < 1 {
		t.Skip(timesEnv + " says how many rounds are measured")
	}
	middle := func(all []time.Duration) float64 { return slices.Sorted(slices.Values(all))[len(all)/2].Seconds() }
	table := "| way | installed | first held turn |\n|---|---|---|\n"
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			var installed, held []time.Duration
			for range rounds {
				r := newBare(t, w.needs...)
				begin := time.Now()
				w.into(t, r)
				installed = append(installed, time.Since(begin))
				r.firstHeldTurn()
				held = append(held, time.Since(begin))
			}
			table += fmt.Sprintf("| %s | %.1f | %.1f |\n", w.name, middle(installed), middle(held))
		})
	}
	t.Logf("seconds, in the middle of %d rounds\n%s", rounds, table)
}

// into installs, and puts the programs into the root's PATH.
func (w way) into(t *testing.T, r *bare) {
	t.Helper()
	w.install(t, r)
	r.env[1] = "PATH=" + w.bin + ":" + strings.TrimPrefix(r.env[1], "PATH=")
}

// TestWays installs Piton each way, has an agent held with a stranger's settings, and removes
// it again.
func TestWays(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			r := newBare(t, w.needs...)
			w.into(t, r)
			r.firstHeldTurn()
			if text, _ := os.ReadFile(r.path("home/ada/.claude/settings.json")); w.name == "formula" && strings.Contains(string(text), "/Cellar/") {
				t.Errorf("the hooks name a folder of one version, which an update removes: %s", text)
			}
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

// TestInstallScriptOnAMac runs the script where uname says so and only shasum is there, with an
// archive of that system's name.
func TestInstallScriptOnAMac(t *testing.T) {
	perl := need.Program(t, "shasum")
	from, bin, home := t.TempDir(), t.TempDir(), t.TempDir()
	mac := "piton-" + version + "-darwin-arm64"
	run(t, nil, "tar", "-C", from, "-xJf", one(t, archive+".tar.xz"))
	check(t, os.Rename(filepath.Join(from, archive), filepath.Join(from, mac)))
	run(t, []string{"XZ_OPT=-0"}, "tar", "-C", from, "-cJf", from+"/"+mac+".tar.xz", mac)
	sum := run(t, nil, "sh", "-c", `cd "$0" && shasum -a 256 "$1" && echo "$2  piton-temporal-$3.tar.xz"`, from, mac+".tar.xz", strings.Repeat("0", 64), strings.TrimPrefix(mac, "piton-"))
	check(t, os.WriteFile(filepath.Join(from, "SHA256SUMS"), []byte(sum), 0o644))
	check(t, os.WriteFile(filepath.Join(bin, "uname"), []byte("#!/bin/sh\ncase $1 in -s) echo Darwin ;; -m) echo arm64 ;; esac\n"), 0o755))
	check(t, os.Symlink(perl, filepath.Join(bin, "shasum")))
	for _, name := range []string{"sh", "tar", "xz", "cp", "mv", "rm", "mkdir", "mktemp", "chmod", "cut", "grep", "perl", "bash"} {
		check(t, os.Symlink(need.Program(t, name), filepath.Join(bin, name)))
	}
	c := exec.Command("sh", one(t, "install.sh"), "--from", from)
	c.Env = []string{"HOME=" + home, "PATH=" + bin}
	out, err := c.CombinedOutput()
	if want := "piton " + version + " is installed in " + home + "/.local/bin."; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("got %v and %q, want %q", err, out, want)
	}
}

// TestProgramsAreOfTheirSystem looks at the programs of every archive that is there: for which
// system and processor they are, that they need no library but the system's own, and that
// those for Apple's processors are signed, which they do not start without.
func TestProgramsAreOfTheirSystem(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join(dist, "piton-*"+version+"-*.tar.xz"))
	check(t, err)
	for _, file := range archives {
		words := strings.Split(strings.TrimSuffix(filepath.Base(file), ".tar.xz"), "-")
		system, arch := words[len(words)-2], words[len(words)-1]
		dir := t.TempDir()
		run(t, nil, "tar", "-C", dir, "--strip-components=1", "-xJf", file)
		programs, err := filepath.Glob(filepath.Join(dir, "piton*"))
		check(t, err)
		for _, program := range programs {
			info, err := buildinfo.ReadFile(program)
			check(t, err)
			built := map[string]string{}
			for _, s := range info.Settings {
				built[s.Key] = s.Value
			}
			if built["GOOS"] != system || built["GOARCH"] != arch || built["CGO_ENABLED"] != "0" {
				t.Errorf("%s: %s is built for %s/%s, cgo %s", filepath.Base(file), filepath.Base(program), built["GOOS"], built["GOARCH"], built["CGO_ENABLED"])
			}
			if x, err := elf.Open(program); system == "linux" {
				check(t, err)
				if libraries, _ := x.ImportedLibraries(); len(libraries) != 0 {
					t.Errorf("%s: %s needs %v", filepath.Base(file), filepath.Base(program), libraries)
				}
				check(t, x.Close())
			}
			if x, err := macho.Open(program); system == "darwin" {
				check(t, err)
				const codeSignature = 0x1d
				signed := slices.ContainsFunc(x.Loads, func(l macho.Load) bool { return x.ByteOrder.Uint32(l.Raw()) == codeSignature })
				if arch == "arm64" && !signed {
					t.Errorf("%s: %s is not signed", filepath.Base(file), filepath.Base(program))
				}
				check(t, x.Close())
			}
		}
		if len(programs) == 0 {
			t.Errorf("%s holds no program", file)
		}
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

// TestFormula compares the archives that the formula names with the files, and installs each;
// TestWays uses it.
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
		words := strings.Split(strings.TrimSuffix(m[1], ".tar.xz"), "-")
		homebrew(t, t.TempDir(), words[len(words)-2], words[len(words)-1])
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
