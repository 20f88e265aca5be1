package courier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
)

// outcome is what became of a letter at one attempt.
type outcome string

const (
	delivered outcome = "delivered"
	dropped   outcome = "dropped" // nobody needs it any more
	failed    outcome = "failed"  // it is tried again
	parked    outcome = "parked"  // it can never arrive
)

// carry brings one letter to its agent, or says why not.
func (c Courier) carry(ctx context.Context, l agent.Letter) (outcome, string) {
	var body agent.HoldLetter
	if err := json.Unmarshal([]byte(l.Body), &body); err != nil || l.Kind != agent.LetterHold || body.Text == "" {
		return parked, "it is no letter that this program knows"
	}
	s, err := c.Local.Session(ctx, l.SessionID)
	switch {
	case piton.CodeOf(err) == piton.NotFound:
		return dropped, "its session is gone"
	case err != nil:
		return failed, told(err)
	case s.Waiting != l.ID || s.Turn != body.Turn:
		return dropped, "the session has gone on"
	}
	client, ok := c.client(s.Agent)
	if !ok {
		return parked, "no client " + s.Agent + " is known"
	}
	if why, err := late(client, s); err != nil {
		return failed, told(err)
	} else if why != "" {
		return dropped, why
	}
	argv := client.QueueCommand(s.ClientID, body.Text)
	if argv == nil {
		return parked, s.Agent + " takes no messages from outside"
	}
	run := c.Run
	if run == nil {
		run = start
	}
	if err := run(ctx, argv, folder(s)); err != nil {
		return failed, told(err)
	}
	return delivered, ""
}

// late tells why a hold is not needed any more, as the transcript has it by
// now: our own text stands last, or a person has spoken or broken off since.
func late(client client.Client, s agent.Session) (string, error) {
	x, err := client.Transcript(s.Transcript, time.Time{})
	switch {
	case err != nil:
		return "", err
	case x.OwnTextLast:
		return "the last message is Piton's own", nil
	case !x.Interrupted.IsZero():
		return "the request was cancelled", nil
	case piton.At(x.LastPromptAt).After(s.PromptedAt.Time):
		return "a person has spoken since", nil
	}
	return "", nil
}

// patience bounds what the client's program may take.
const patience = 20 * time.Second

// start runs the client's program.
func start(ctx context.Context, argv []string, dir string) error {
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

// folder is where the client's program runs: where its session is, if that is
// still there.
func folder(s agent.Session) string {
	for _, dir := range []string{s.Cwd, s.Root} {
		if info, err := os.Stat(dir); dir != "" && err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

func (c Courier) client(name string) (client.Client, bool) {
	if c.Client != nil {
		return c.Client(name)
	}
	return clients.ByName(name)
}

// maxTold bounds an error that is kept, in bytes.
const maxTold = 500

// told is an error as it may be kept.
func told(err error) string {
	s, _ := redact.Text(err.Error())
	return strings.ToValidUTF8(s[:min(len(s), maxTold)], "")
}
