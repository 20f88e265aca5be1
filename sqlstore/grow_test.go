package sqlstore_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/sqlstore"
)

// message is one element of about 2 KB, as agents keep them: text, some of it
// hard to compress.
func message(r *rand.Rand, i int) string {
	const words = "the state of a build is kept with its tests and their failures file function error retry branch merge cache agent prompt result checks line number parse value return config server request user token count update delete insert select index column migration schema review comment approve deploy release version package module import export type struct interface method"
	all := strings.Fields(words)
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":%d,"role":"assistant","at":"2026-03-04T05:%02d:%02d.%03dZ","commit":"%016x%016x","text":"`, i, i/60%60, i%60, r.IntN(1000), r.Uint64(), r.Uint64())
	for b.Len() < 1700 {
		if r.IntN(9) == 0 {
			fmt.Fprintf(&b, "%x ", r.Uint32())
		}
		b.WriteString(all[r.IntN(len(all))] + " ")
	}
	b.WriteString(`","files":[`)
	for n := 0; b.Len() < 2020; n++ {
		if n > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"path":"src/%s/%s_%d.go","lines":%d}`, all[r.IntN(len(all))], all[r.IntN(len(all))], r.IntN(100), r.IntN(1000))
	}
	b.WriteString("]}")
	return b.String()
}

// shapes are states whose list of messages lies in different places.
var shapes = []struct {
	name, before, after string
}{
	{"top", `{"task":"build","step":%d,"messages":[`, `]}`},
	{"deep", `{"task":"build","run":{"counters":{"step":%d},"agents":[{"name":"a","memory":{"log":{"messages":[`, `]}}},{"name":"b","done":true}]},"end":"here"}`},
}

func TestGrowthMeasure(t *testing.T) {
	if os.Getenv("GROW") == "" {
		return
	}
	for _, shape := range shapes {
		for _, kind := range []string{"messages","hex"} {
			path := filepath.Join(t.TempDir(), "piton.db")
			s := storeAt(t, path)
			w := workflow(t, s)
			r := rand.New(rand.NewPCG(1, 2))
			var list []string
			var total, comp time.Duration
			for i := range 1000 {
				m := message(r, i)
				if kind == "hex" {
					var b []byte
					for len(b) < 2000 {
						b = hex.AppendEncode(b, fmt.Append(nil, r.Uint64()))
						x := sha256.Sum256(b)
						b = hex.AppendEncode(b, x[:])
					}
					m = `{"x":"` + string(b[:2000]) + `"}`
				}
				list = append(list, m)
				state := fmt.Sprintf(shape.before, i) + strings.Join(list, ",") + shape.after
				start := time.Now()
				p, err := s.Ready(prepared(w, state))
				if err != nil {
					t.Fatal(err)
				}
				comp += time.Since(start)
				update(t, s, func(tx piton.LocalTx) error { _, err := tx.Append(t.Context(), p); return err })
				total += time.Since(start)
			}
			t.Log(shape.name, kind, "blobs", number(t, s, `SELECT COUNT(*) FROM blobs`), "bytes", number(t, s, `SELECT SUM(LENGTH(data)) FROM blobs`), "manifests", number(t, s, `SELECT SUM(LENGTH(data)) FROM manifests`),
				"pages", number(t, s, `SELECT page_count*4096 FROM pragma_page_count()`), "ready", comp, "save", total)
			_ = sqlstore.Store{}
			os.WriteFile("/tmp/zz/state", []byte(fmt.Sprintf(shape.before, 1) + strings.Join(list, ",") + shape.after), 0o600)
			b, _ := os.ReadFile(path)
			os.WriteFile("/tmp/zz/db", b, 0o600)
			t.Log(text(t, s, `SELECT stored_bytes || ',' || state_bytes || ' ' FROM checkpoints WHERE ordinal%64 IN (1,2,3,4,5,6,7)`))
		}
	}
}
