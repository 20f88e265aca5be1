package announce

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/courier"
)

var _ courier.Carrier = Carrier{}

// Carry tells one listener, once.
func (c Carrier) Carry(ctx context.Context, l agent.Letter, s agent.Session) courier.Outcome {
	name, _ := l.Listener()
	list, err := c.Listeners(s.Root)
	if err != nil {
		return courier.Outcome{What: courier.Waits, Why: "the settings cannot be read: " + err.Error()}
	}
	i := slices.IndexFunc(list, func(x agent.Listener) bool { return x.Name == name && !x.Off })
	if i < 0 {
		return courier.Outcome{What: courier.Dropped, Why: "the settings name no listener " + name + " any more"}
	}
	m := message{id: l.ID, listener: list[i], session: s}
	if err := json.Unmarshal([]byte(l.Body), &m.news); err != nil || m.news.Event == "" {
		return courier.Outcome{What: courier.Parked, Why: "this version cannot read the letter"}
	}
	m.news.Text = tidy(m.news.Text)
	if m.news.Run == "" {
		m.news.Run, m.news.Step = s.Run, s.Step
	}
	ctx, cancel := context.WithTimeout(ctx, m.listener.Limit())
	defer cancel()
	if l.Kind == agent.LetterAnnounce && len(m.listener.Summary) > 0 {
		m = c.summarised(ctx, m)
	}
	if m.listener.Webhook != "" {
		return c.post(ctx, m)
	}
	return c.run(ctx, m)
}
