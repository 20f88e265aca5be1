package storetest

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// random is a JSON object of about n bytes that does not compress but for its
// base64.
func random(n int) string {
	var seed [32]byte
	raw := make([]byte, n*3/4)
	rand.NewChaCha8(seed).Read(raw)
	return `{"random":"` + base64.StdEncoding.EncodeToString(raw) + `"}`
}

// manyParts is a JSON object with many keys, arrays and depths.
func manyParts() string {
	var b strings.Builder
	b.WriteString(`{"todos":[`)
	for i := range 2000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"content":"task %d","status":"pending","notes":[%d,null,true,1e%d]}`, i, i, i%300)
	}
	b.WriteString(`]}`)
	return b.String()
}

func statesComeBack(s *suite) {
	w := s.plain()
	var ids, want []string
	for _, c := range []struct{ name, state string }{
		{"empty object", `{}`},
		{"1 KB", `{"a":"` + strings.Repeat("x", 1<<10-8) + `"}`},
		{"1 KB less a byte", `{"a":"` + strings.Repeat("x", 1<<10-9) + `"}`},
		{"2 MB that do not compress", random(2 << 20)},
		{"2 MB that do", `{"a":"` + strings.Repeat("all work and no play ", 100_000) + `"}`},
		{"many parts", manyParts()},
		{"deep", strings.Repeat(`{"a":`, 500) + `[]` + strings.Repeat(`}`, 500)},
		{"unicode", "{\"größe\":\"\U0001f9d7\u200d\u2640\ufe0f Ärger \u2028\u00a0\",\"null\":\"\\u0000\\ud800\",\"\\\"\":\"\\/\"}"},
		{"spellings", `{"b":1.0,"a":1e400,"c":-0,"d":"é","e":"\u00e9","f":12345678901234567890123456789}`},
	} {
		a := s.append(w, c.state, named(c.name))
		equal(s, c.name+": size", a.StateBytes, int64(len(c.state)))
		ids, want = append(ids, a.ID), append(want, c.state)
	}
	for i, id := range ids {
		s.wantState(id, want[i])
	}
	s.save(func(tx store.Tx) error {
		got, err := tx.State(s.ctx, ids[1])
		equal(s, "state inside a transaction", string(got), want[1])
		return err
	})
}

func equalStates(s *suite) {
	v, w := s.plain(), s.plain()
	state := noise(4 << 10)
	var cs []piton.Checkpoint
	for i := range 70 {
		cs = append(cs, s.append(v, state))
		if i%10 == 0 {
			cs = append(cs, s.append(w, state), s.append(v, fmt.Sprintf(`{"i":%d}`, i)))
		}
	}
	for i, c := range cs {
		if i%7 == 0 {
			s.remove(c)
		}
	}
	for i, c := range cs {
		if i%7 != 0 && c.StateBytes > 1<<10 {
			s.wantState(c.ID, state)
		}
	}
}

func stateNotThere(s *suite) {
	_, err := s.st.State(s.ctx, piton.NewID(piton.CheckpointPrefix))
	s.wantCode(err, piton.NotFound)
	_, err = s.st.Head(s.ctx, piton.NewID(piton.WorkflowPrefix), "")
	s.wantCode(err, piton.NotFound)
	w := s.plain()
	_, err = s.st.Head(s.ctx, w.ID, "")
	s.wantCode(err, piton.NotFound)
	_, err = s.st.Head(s.ctx, w.ID, piton.MainBranch)
	s.wantCode(err, piton.NotFound)
}
