package courier

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
)

// patience bounds what the client's program may take.
const patience = 20 * time.Second

// Start runs a client's program.
func Start(ctx context.Context, argv []string, dir string) error {
	r, err := proc.Run(ctx, proc.Command{Argv: argv, Dir: dir, MaxOutput: 4 << 10, Timeout: patience})
	switch {
	case err != nil:
		return err
	case r.TimedOut:
		return fmt.Errorf("%s did not end in %s", argv[0], patience)
	case r.Code != 0:
		return errors.New(argv[0] + " ended with status " + fmt.Sprint(r.Code) + ": " + complaint(string(r.Stderr)))
	}
	return nil
}

// complaint is the line that says what went wrong: there are warnings before it
// and a stack behind.
func complaint(stderr string) string {
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "Error") || strings.HasPrefix(line, "error") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(stderr)
}

// Folder is where the client's program runs: where its session is, if that is
// still there.
func Folder(s agent.Session) string {
	for _, dir := range []string{s.Cwd, s.Root} {
		if info, err := os.Stat(dir); dir != "" && err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// maxReason bounds an error that is kept, in bytes.
const maxReason = 500

// reason is an error as it is kept: short, without secrets.
func reason(err error) string {
	s, _ := redact.Text(err.Error())
	return strings.ToValidUTF8(s[:min(len(s), maxReason)], "")
}
