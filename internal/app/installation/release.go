package installation

import (
	"context"
	"io"
	"regexp"

	"golang.org/x/mod/semver"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// maxSums bounds a file of sums, in bytes.
const maxSums = 1 << 20

// archiveName is how a release's archives are called (scripts/dist).
var archiveName = regexp.MustCompile(`(?m)\bpiton-(v[0-9][0-9A-Za-z.+-]*)-(?:linux|darwin)-(?:amd64|arm64)\.tar\.xz\s*$`)

// Comparison is how this version stands to the newest one of a file of sums.
type Comparison struct {
	Version string `json:"version"` // this one
	Newest  string `json:"newest"`  // of the file
	This    string `json:"this"`    // `same`, `newer` or `older` than the newest
}

// CompareRelease compares this version with the newest one whose archives are named in a
// file of sums, the SHA256SUMS of a release or of several.
func (a Setup) CompareRelease(ctx context.Context, file string) (Comparison, error) {
	const op = "compare versions"
	x := Comparison{Version: piton.Version()}
	unreadable := func(err error) (Comparison, error) {
		return x, &piton.Error{Code: piton.Invalid, Op: op, Hint: "name a file that you can read", Err: err}
	}
	path, err := a.Path(file)
	if err != nil {
		return x, err
	}
	f, err := localfs.OpenInput(ctx, path)
	if err != nil {
		return unreadable(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSums))
	if err != nil {
		return unreadable(err)
	}
	for _, m := range archiveName.FindAllSubmatch(text, -1) {
		if v := string(m[1]); semver.IsValid(v) && semver.Compare(v, x.Newest) > 0 {
			x.Newest = v
		}
	}
	if x.Newest == "" {
		return x, piton.Errorf(piton.Invalid, op, "give the SHA256SUMS of a release", "%s names no archive of a version", file)
	}
	if !semver.IsValid(x.Version) {
		return x, piton.Errorf(piton.Invalid, op, "install a release; the newest one of the file is "+x.Newest, "this build is %s and no release", x.Version)
	}
	x.This = [...]string{"older", "same", "newer"}[semver.Compare(x.Version, x.Newest)+1]
	return x, nil
}
