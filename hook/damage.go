package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton"
)

// toldFile names the sessions whose person was told that the store is damaged.
// The store itself cannot keep that.
const toldFile = "damage.told"

// maxTold bounds how many sessions are remembered.
const maxTold = 50

// damaged is one line for the person at a stop when the store is damaged or has
// gone back, once in a session; nil otherwise.
func (d Door) damaged(e piton.Event, err error) []byte {
	var known *piton.Error
	if !errors.As(err, &known) || known.Code != piton.Corrupt || known.Err == nil ||
		e.Kind != piton.EventStop || e.Subagent != "" || e.Unheard || !d.first(e) {
		return nil
	}
	return d.Turns.Client.Notice(piton.Prefix + "the store needs you: " + known.Err.Error() + ". Run 'piton doctor'; it says what to do.")
}

// first tells whether a session's person is told for the first time, and
// remembers that. Where it cannot be remembered nobody is told: once too often
// would be at every stop.
func (d Door) first(e piton.Event) bool {
	sum := sha256.Sum256([]byte(e.Agent + "\x00" + e.ClientID))
	id := hex.EncodeToString(sum[:8])
	name := filepath.Join(d.Turns.Home, toldFile)
	var told []string
	if info, err := os.Lstat(name); err == nil {
		if !info.Mode().IsRegular() || info.Size() > 17*maxTold {
			return false
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return false
		}
		told = strings.Fields(string(b))
	}
	for _, t := range told {
		if t == id {
			return false
		}
	}
	told = append(told, id)
	told = told[max(0, len(told)-maxTold):]
	return os.WriteFile(name, []byte(strings.Join(told, "\n")+"\n"), 0o600) == nil
}
