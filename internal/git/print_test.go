package git

import (
	"os"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

func TestSame(t *testing.T) {
	hashed := Print{Code: ".M", Size: 1, ModNano: 2, CtimeNano: 3, Inode: 4, Mode: 5, Hash: "h"}
	stat := hashed
	stat.Hash = ""
	for _, tc := range []struct {
		name   string
		was    Print
		change func(*Print)
		want   bool
	}{
		{"equal", hashed, func(p *Print) {}, true},
		{"hashed, other times and inode", hashed, func(p *Print) { p.ModNano, p.CtimeNano, p.Inode = 0, 0, 0 }, true},
		{"hashed, other hash", hashed, func(p *Print) { p.Hash = "x" }, false},
		{"hashed, other mode", hashed, func(p *Print) { p.Mode++ }, false},
		{"hashed then, now too large", hashed, func(p *Print) { p.Size, p.Hash = hashedSize, "" }, false},
		{"other code", hashed, func(p *Print) { p.Code = "M." }, false},
		{"gone", hashed, func(p *Print) { *p = Print{Code: ".M", Missing: true} }, false},
		{"not hashed, equal", stat, func(p *Print) {}, true},
		{"not hashed, other time", stat, func(p *Print) { p.ModNano++ }, false},
		{"not hashed, other change time", stat, func(p *Print) { p.CtimeNano++ }, false},
		{"not hashed, other inode", stat, func(p *Print) { p.Inode++ }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			now := tc.was
			tc.change(&now)
			if got := tc.was.same(now); got != tc.want {
				t.Errorf("got %v, want %v for %+v and %+v", got, tc.want, tc.was, now)
			}
		})
	}
}

func TestUntouched(t *testing.T) {
	taken := time.Unix(1_000, 0)
	old := Print{Size: 1, ModNano: 2, CtimeNano: taken.Add(-4 * time.Second).UnixNano(), Inode: 4}
	young, noTime, moved := old, old, old
	young.CtimeNano = taken.Add(-time.Second).UnixNano()
	noTime.CtimeNano = 0
	moved.Inode = 5
	for _, tc := range []struct {
		name     string
		was, now Print
		want     bool
	}{
		{"old", old, old, true}, {"young", young, young, false}, {"no change time", noTime, noTime, false}, {"another inode", old, moved, false},
	} {
		if got := tc.was.untouched(tc.now, taken); got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestBaselinePrints(t *testing.T) {
	w := committed(t)
	w.write("a", "1")
	w.write("big", big("1"))
	w.remove("b")
	if err := os.Symlink("nowhere", w.path("link")); err != nil {
		need.Missing(t, err.Error())
	}
	b, err := w.repo().Baseline(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		path, code    string
		hash, missing bool
	}{{"a", ".M", true, false}, {"b", ".D", false, true}, {"big", "??", false, false}, {"link", "??", true, false}} {
		p := b.Files[tc.path]
		if p.Code != tc.code || (p.Hash != "") != tc.hash || p.Missing != tc.missing {
			t.Errorf("%s: got %+v, want code %s, a hash %v, missing %v", tc.path, p, tc.code, tc.hash, tc.missing)
		}
	}
	if len(b.Files) != 4 || b.Files["a"].Hash != "6b86b273ff34fce19d6b804eff5a3f57" {
		t.Errorf("got %+v, want four files, and sha256 of 1", b.Files)
	}
}
