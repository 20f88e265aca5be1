package insight

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// A label is what a person says of a stop, to hold the judge against: a line of JSON.
type label struct {
	Session string `json:"session"` // the log's name without its extension
	Turn    int    `json:"turn"`
	Label   string `json:"label"` // hold, arguable or fine
}

// The labels of stops.
const (
	labelHold     = "hold"     // the agent should have been held
	labelArguable = "arguable" // both can be argued for
	labelFine     = "fine"     // it should have been let go
)

func portion(hits, of int) (p Portion) {
	if of == 0 {
		return p
	}
	const z = 1.96
	n, share := float64(of), float64(hits)/float64(of)
	middle, spread := share+z*z/(2*n), z*math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return Portion{share, math.Max(0, (middle-spread)/(1+z*z/n)), math.Min(1, (middle+spread)/(1+z*z/n))}
}

// maxLabels bounds the labels that are read.
const maxLabels = 1_000_000

// labels reads a file of labels.
func (a Insight) labels(ctx context.Context, file string) (map[string]string, error) {
	const op = "read the labels"
	const hint = `write a line of JSON for each stop: {"session": "the log's name without its extension", "turn": 3, "label": "hold"}, with hold, arguable or fine`
	path, err := a.Path(file)
	if err != nil {
		return nil, err
	}
	f, err := localfs.OpenInput(ctx, path)
	if err != nil {
		return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
	}
	defer f.Close()
	all := map[string]string{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		var l label
		err := json.Unmarshal([]byte(text), &l)
		if err == nil {
			err = l.check()
		}
		if _, twice := all[l.stop()]; err == nil && twice {
			err = errors.New("this stop has a label already")
		}
		if err != nil {
			return nil, piton.Errorf(piton.Invalid, op, hint, "line %d of %s: %v", n, file, err)
		}
		if len(all) == maxLabels {
			return nil, piton.Errorf(piton.Invalid, op, "give fewer", "%s has more than %d labels", file, maxLabels)
		}
		all[l.stop()] = l.Label
	}
	if err := lines.Err(); err != nil {
		return nil, &piton.Error{Code: piton.Invalid, Op: op, Hint: hint, Err: err}
	}
	return all, nil
}

// check says what keeps a label from being one.
func (l label) check() error {
	switch {
	case l.Session == "":
		return errors.New("it names no session")
	case l.Turn < 1:
		return errors.New("it names no turn; the first is 1")
	case l.Label != labelHold && l.Label != labelArguable && l.Label != labelFine:
		return fmt.Errorf("%q is not a label", l.Label)
	}
	return nil
}

// stop names the stop that a label is of.
func (l label) stop() string { return stopKey(l.Session, l.Turn) }

func stopKey(session string, turn int) string { return fmt.Sprintf("%s:%d", session, turn) }

// score holds the judge's verdicts against labels.
func (x ReplayedLogs) score(labels map[string]string) *Score {
	s, seen := &Score{}, map[string]bool{}
	for _, log := range x.Sessions {
		name := strings.TrimSuffix(filepath.Base(log.File), filepath.Ext(log.File))
		for _, t := range log.Turns {
			stop := stopKey(name, t.Turn)
			label, ok := labels[stop]
			if !ok || seen[stop] {
				continue
			}
			if seen[stop] = true; t.Verdict != ReplayBroken {
				s.add(label, t.Verdict)
			}
		}
	}
	s.Unmatched = len(labels) - len(seen)
	s.Precision, s.Recall = portion(s.Right, s.Right+s.Wrong), portion(s.Right, s.Worthy)
	if s.Labelled > 0 {
		s.PerStops = float64(s.Held) / float64(s.Labelled)
	}
	return s
}

func (s *Score) add(label string, verdict ReplayVerdict) {
	s.Labelled++
	held := verdict == ReplayHeld
	if held {
		s.Held++
	}
	switch {
	case label == labelHold:
		s.Worthy++
		if held {
			s.Right++
		}
		if verdict == ReplayClear {
			s.ClearBad++
		}
	case held && label == labelFine:
		s.Wrong++
	case held:
		s.Arguable++
	}
}
