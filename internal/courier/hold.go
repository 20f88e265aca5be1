package courier

import (
	"context"
	"encoding/json"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// Hold carries letters that hold an agent whose client reads no answer to a stop:
// it hands the text to the client's own queue.
type Hold struct {
	Client func(name string) (client.Client, bool)
	Run    func(ctx context.Context, argv []string, dir string) error // runs a program in a folder
}

var _ Carrier = Hold{}

// Carry queues the text, unless it is not needed any more.
func (h Hold) Carry(ctx context.Context, l agent.Letter, s agent.Session) Outcome {
	var body agent.HoldLetter
	switch err := json.Unmarshal([]byte(l.Body), &body); {
	case err != nil || body.Text == "":
		return Outcome{What: Parked, Why: "this version cannot read such a letter"}
	case s.ID == "":
		return Outcome{What: Dropped, Why: "its session is gone"}
	case s.Waiting != l.ID || s.Turn != body.Turn:
		return Outcome{What: Dropped, Why: "the session has gone on"}
	}
	client, ok := h.Client(s.Agent)
	if !ok {
		return Outcome{What: Parked, Why: "no client is named " + s.Agent}
	}
	if why, err := late(client, s); err != nil {
		return Outcome{What: Failed, Why: reason(err)}
	} else if why != "" {
		return Outcome{What: Dropped, Why: why}
	}
	argv := client.QueueCommand(s.ClientID, body.Text)
	if argv == nil {
		return Outcome{What: Parked, Why: s.Agent + " takes no messages from outside"}
	}
	if err := h.Run(ctx, argv, Folder(s)); err != nil {
		return Outcome{What: Failed, Why: reason(err)}
	}
	return Outcome{What: Delivered}
}

// late tells why a hold is no longer needed, by the transcript as it is now: our
// own text is the last message, or a person has written or cancelled since.
func late(client client.Client, s agent.Session) (string, error) {
	x, err := client.Transcript(s.Transcript, time.Time{}, 0)
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
