package daemon

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// maxToken bounds the token's file, minToken what it must hold, in bytes.
const (
	maxToken = 4096
	minToken = 20
)

// readToken reads the token that callers over TCP show. Where there is none it is
// drawn and kept. Invalid where others can read the file, or it holds no token: then
// it is for its user to say what becomes of it.
func readToken(path string) (string, error) {
	const op = "read the daemon's token"
	hint := "remove " + path + ", and the next start makes a new one"
	f, err := localfs.OpenOwn(path, false)
	if errors.Is(err, fs.ErrNotExist) {
		return makeToken(path)
	}
	if err != nil {
		return "", &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", &piton.Error{Code: piton.Unavailable, Op: op, Hint: hint, Err: err}
	}
	if private && !localfs.Own(info) {
		return "", piton.Errorf(piton.Invalid, op, hint, "%s is another user's: whoever has made it knows the token", path)
	}
	if mode := info.Mode().Perm(); private && mode&0o077 != 0 {
		return "", piton.Errorf(piton.Invalid, op, hint+", or, if nobody else has read it: chmod 600 "+path, "others can use %s: its mode is %#o, and must be 0600", path, mode)
	}
	text, err := localfs.ReadAll(f, info.Size(), maxToken)
	token := strings.TrimSpace(string(text))
	if err != nil || len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", piton.Errorf(piton.Invalid, op, hint, "%s holds no token of at least %d letters and digits", path, minToken)
	}
	return token, nil
}

// makeToken draws a token. The file has its name only when it is whole.
func makeToken(path string) (string, error) {
	token := rand.Text() + rand.Text()
	if err := localfs.Replace(path, []byte(token+"\n"), 0o600, nil); err != nil {
		return "", &piton.Error{Code: piton.Unavailable, Op: "make the daemon's token", Hint: "look at the folder " + filepath.Dir(path), Err: err}
	}
	return token, nil
}
