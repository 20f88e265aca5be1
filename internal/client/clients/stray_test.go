package clients

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
	"github.com/piton-project/piton/internal/testkit/clienttest"
)

// strays are lines of each client that tell nothing of a turn, stamped with a time:
// attachments and the progress of older versions, messages of the model, warnings.
var strays = map[string][]string{
	"claude": {
		`{"parentUuid":null,"isSidechain":false,"version":"2.1.328","attachment":{"type":"prompt_snapshot","text":"@long"},"type":"attachment","uuid":"u","timestamp":"@at"}`,
		`{"parentUuid":null,"isSidechain":false,"version":"2.1.328","type":"progress","data":{"type":"bash_progress","output":"@long","timestamp":"2001-01-01T00:00:00Z"},"uuid":"u","timestamp":"@at"}`,
	},
	"gemini": {`{"id":"@id","timestamp":"@at","type":"warning","content":"@long"}`},
	"codex":  {`{"timestamp":"@at","ordinal":7,"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"@long"}]}}`},
}

// stray is one such line of about size bytes.
func stray(r *rand.Rand, client string, at time.Time, size int) string {
	forms := strays[client]
	return strings.NewReplacer("@long", strings.Repeat("x", size), "@at", at.UTC().Format("2006-01-02T15:04:05.000Z"), "@id", fmt.Sprintf("s%x", r.Uint64())).Replace(forms[r.IntN(len(forms))]) + "\n"
}

// Between any two lines of a recording stand long lines that tell nothing, stamped
// with the time of the lines around them. Whenever a turn began, it holds what it
// holds without them: such lines end the reading among older ones only.
func TestStrayLinesHideNothingOfATurn(t *testing.T) {
	for _, client := range recorded {
		t.Run(client.Name(), func(t *testing.T) {
			t.Parallel()
			plain, mixed := newScratch(t), newScratch(t)
			r := rand.New(rand.NewPCG(8, 9))
			for n, log := range recordingsOf(t, client) {
				var all bytes.Buffer
				var stamps []time.Time
				for line := range bytes.Lines(log) {
					// The recordings' own order is kept, whatever it is.
					all.Write(line) // the first one tells of the session
					if at := rawjson.Stamp(bytes.TrimSpace(line)); !at.IsZero() {
						stamps = append(stamps, at)
						all.WriteString(stray(r, client.Name(), at, 40<<10))
					}
				}
				for range 6 {
					since := stamps[r.IntN(len(stamps))].Add(time.Duration(r.IntN(3000)-1000) * time.Millisecond)
					if r.IntN(6) == 0 {
						since = since.Add(2 * logfile.StraySlack) // all that there is came long before it
					}
					want, err := plain.read(t, client, log, since)
					if err != nil {
						t.Fatal(err)
					}
					got, err := mixed.read(t, client, all.Bytes(), since)
					if err != nil || !reflect.DeepEqual(got, want) {
						t.Errorf("recording %d since %s: got %v\n%s\nwant\n%s", n, clienttest.Clock(since), err, clienttest.Format(got), clienttest.Format(want))
					}
				}
			}
		})
	}
}

// A log of 50 MB, in which nothing but such lines stands before the turn, is not
// read beyond the turn: what is missing at its beginning is missed by nobody.
func TestStrayLinesBeforeATurnEndTheReading(t *testing.T) {
	for _, client := range recorded {
		t.Run(client.Name(), func(t *testing.T) {
			log := recordingsOf(t, client)[0]
			var first time.Time
			for line := range bytes.Lines(log) {
				if at := rawjson.Stamp(bytes.TrimSpace(line)); !at.IsZero() {
					first = at
					break
				}
			}
			since := first.Add(-time.Second)
			name := filepath.Join(t.TempDir(), "large.jsonl")
			f, err := os.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			head, rest, _ := bytes.Cut(log, []byte("\n")) // tells of the session
			if _, err := f.Write(append(head, '\n')); err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			const size, step = 50 << 20, 20 << 10
			for at := since.Add(-10 * time.Hour); at.Before(since); at = at.Add(10 * time.Hour * step / size) {
				if _, err := f.WriteString(stray(r, client.Name(), at, step)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := f.Write(rest); err != nil {
				t.Fatal(err)
			}
			want, err := newScratch(t).read(t, client, log, since)
			if err != nil {
				t.Fatal(err)
			}
			before := readSoFar(t)
			got, err := client.Transcript(name, since, 0)
			read := readSoFar(t) - before
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %v\n%s\nwant\n%s", err, clienttest.Format(got), clienttest.Format(want))
			}
			if most := int64(len(log) + 4<<20); read > most {
				t.Errorf("got %d bytes read, want at most %d", read, most)
			}
		})
	}
}

// readSoFar is how many bytes this process has read.
func readSoFar(t *testing.T) (n int64) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip("only Linux counts what a process reads: " + err.Error())
	}
	if _, err := fmt.Sscanf(string(b), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}
