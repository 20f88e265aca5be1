package courier_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/need"
)

// holdLetter claims a letter for an hour, says so, and carries it until it is killed.
func holdLetter(path string) error {
	st, err := sqlite.Open(context.Background(), path, sqlite.Options{Wait: time.Minute})
	if err != nil {
		return err
	}
	hangs := carry(func(context.Context, agent.Letter, agent.Session) courier.Outcome {
		fmt.Println("claimed")
		select {}
	})
	c := courier.Courier{Local: st.Local(), Lease: time.Hour, Limit: time.Hour, Carriers: map[agent.LetterKind]courier.Carrier{"test": hangs}}
	c.Run(context.Background())
	return nil
}

// A courier that was killed keeps its letters no longer than it lives. What it had for
// an agent waits for a part of the lease: the agent may have got it already.
func TestKilledCourierFreesItsLetters(t *testing.T) {
	if me, err := proc.Identify(os.Getpid()); err != nil || me.Boot == "" {
		need.Missing(t, "processes cannot be told apart here, and the lease decides")
	}
	for _, c := range []struct {
		name, to string
		at       time.Duration // after the claim
		want     courier.Carried
	}{
		{"to a listener, at once", agent.ToListener("x"), 0, courier.Carried{Delivered: 1}},
		{"to an agent, at once", "", 0, courier.Carried{Waiting: 1}},
		{"to an agent, a third of the lease later", "", 21 * time.Minute, courier.Carried{Delivered: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "piton.db")
			st, err := sqlite.Open(t.Context(), path, sqlite.Options{Wait: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			letter := agent.Letter{ID: "ltr_1", SessionID: "ses_1", To: c.to, Kind: "test", Due: piton.At(time.Now()), Body: `{}`}
			if err := st.Local().Update(t.Context(), func(tx store.LocalTx) error { return tx.Post(t.Context(), redact.Value(letter)) }); err != nil {
				t.Fatal(err)
			}
			holder := child(t, "hold", path)
			if _, err := bufio.NewReader(holder.out).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			delivers := carry(func(context.Context, agent.Letter, agent.Session) courier.Outcome {
				return courier.Outcome{What: courier.Delivered}
			})
			at := time.Now().Add(c.at)
			next := courier.Courier{Local: st.Local(), Lease: time.Hour, Now: func() time.Time { return at }, Carriers: map[agent.LetterKind]courier.Carrier{"test": delivers}}
			if got, err := next.Deliver(t.Context()); err != nil || got != (courier.Carried{Waiting: 1}) {
				t.Errorf("while its courier lives: got %+v, %v, want the letter left to it", got, err)
			}
			holder.kill()
			if got, err := next.Deliver(t.Context()); err != nil || got != c.want {
				t.Errorf("after its courier was killed: got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}
