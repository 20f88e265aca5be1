package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func runArtifacts(s *suite) {
	w := s.workflow("", piton.TypePlan, "p")
	cs := s.chain(w, "a", "b", "c", "d")
	first, second := s.newRun(w), s.newRun(w)
	first.CheckpointID = cs[0].ID
	s.addRun(first)
	put := func(run string, contents ...string) (sums []string) {
		for _, c := range contents {
			sum := sha256.Sum256([]byte(c))
			sums = append(sums, hex.EncodeToString(sum[:]))
			s.save(func(tx store.Tx) error { return tx.Runs.PutArtifact(s.ctx, run, redact.Unchecked([]byte(c))) })
		}
		return sums
	}
	texts := []string{"", "\x00\xff", strings.Repeat("a long one, ", 1<<18)}
	sums := put(first.ID, append(texts, texts[1])...)[:3]
	first.CheckpointID = cs[1].ID
	s.become(first, piton.RunCompleted)
	second.Branch, second.CheckpointID = "other", cs[2].ID
	s.append(w, `{}`, named("other"), forking(cs[0].ID, "other"))
	s.addRun(second)
	s.save(func(tx store.Tx) error { return tx.Runs.TakeArtifacts(s.ctx, second.ID, first.ID) })
	has := func(what, run string, want bool) {
		s.Helper()
		for i, sum := range sums {
			got, err := s.st.Runs().Artifact(s.ctx, run, sum)
			if missing := piton.CodeOf(err) == piton.NotFound; missing == want || want && (err != nil || string(got) != texts[i]) {
				s.Errorf("%s: %d bytes: got %d bytes, %v, want them there: %t", what, len(texts[i]), len(got), err, want)
			}
		}
	}
	has("kept", first.ID, true)
	has("taken over", second.ID, true)
	has("of no run", piton.NewID(piton.RunPrefix), false)
	_, err := s.st.Runs().Artifact(s.ctx, first.ID, "no sum")
	s.wantCode(err, piton.NotFound)
	s.remove(cs[0])
	has("with a checkpoint of the run", first.ID, true)
	s.remove(cs[1])
	has("without one", first.ID, false)
	has("of the other run", second.ID, true)
	lost := errors.New("lost")
	err = s.st.Save(s.ctx, func(tx store.Tx) error {
		return errors.Join(tx.Runs.PutArtifact(s.ctx, first.ID, redact.Unchecked([]byte("x"))), lost)
	})
	if _, got := s.st.Runs().Artifact(s.ctx, first.ID, "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"); !errors.Is(err, lost) || piton.CodeOf(got) != piton.NotFound {
		s.Errorf("got %v, %v, want nothing of a transaction that failed", err, got)
	}
}
