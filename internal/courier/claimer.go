package courier

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/piton-project/piton/internal/proc"
)

// me is this process as the claimer of letters; empty where it cannot be told from
// others.
func me() string {
	i, err := proc.Identify(os.Getpid())
	if err != nil || i.Boot == "" {
		return ""
	}
	text, err := json.Marshal(i)
	if err != nil {
		return ""
	}
	return string(text)
}

// died reports whether the process that has claimed a letter is known to have ended. It
// is known of processes of this boot and pid namespace; of others the lease decides.
func died(claimer string) bool {
	_, text, _ := strings.Cut(claimer, " ")
	var i proc.Identity
	if json.Unmarshal([]byte(text), &i) != nil || i.Boot == "" || !i.Visible() {
		return false
	}
	alive, known := i.Alive()
	return known && !alive
}
