package headless

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/git"
)

// memory is what an attempt notes for the one after it, beside the session.
type memory struct {
	Began       time.Time        `json:"began"`                  // the step's work, over all attempts
	Started     time.Time        `json:"started"`                // the newest process
	Open        bool             `json:"open,omitempty"`         // it has not ended
	Told        piton.TokenUsage `json:"told,omitzero"`          // what was noted of its usage
	Baseline    *git.Baseline    `json:"baseline,omitempty"`     // the work tree when the work began
	Fingerprint string           `json:"last_failure,omitempty"` // of the tree and the checks that failed in it
	Failing     []string         `json:"failing,omitempty"`      // what did not hold at the last look
	CouldNot    string           `json:"could_not,omitempty"`    // why the agent said that it could not
	Ended       string           `json:"ended,omitempty"`        // why the attempt ended before the work was done
	Model       string           `json:"model,omitempty"`
	Counted     piton.TokenUsage `json:"counted,omitzero"`     // of the whole session, as the client last told
	Generation  int              `json:"generation,omitempty"` // how often its id was taken
}

// maxBaseline bounds the baseline that is noted: it goes into every state.
const maxBaseline = 128 << 10

// recall reads what an earlier attempt has noted.
func recall(data map[string]any) (m memory) {
	text, err := json.Marshal(data)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return memory{}
	}
	return m
}

// data is the memory as a note has it.
func (m memory) data() map[string]any {
	text, err := json.Marshal(m)
	var data map[string]any
	if err == nil {
		err = json.Unmarshal(text, &data)
	}
	if err != nil {
		return nil
	}
	return data
}

// baseline is how the work tree is now; nil outside a repository, and where it is
// too large to note: then changes are those against the last commit.
func baseline(ctx context.Context, dir string) *git.Baseline {
	b, err := git.Repo{Dir: dir}.Baseline(ctx)
	if err != nil {
		return nil
	}
	if text, err := json.Marshal(b); err != nil || len(text) > maxBaseline {
		b.Files = nil
	}
	return &b
}

// sessionID makes a session's id of the step's idempotency key, so that it is known
// whatever happens: a UUID of version 8.
func sessionID(key string, generation int) string {
	h := sha256.Sum256(fmt.Appendf(nil, "piton agent session\x00%s\x00%d", key, generation))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	s := hex.EncodeToString(h[:16])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
