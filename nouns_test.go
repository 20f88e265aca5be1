package piton_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
)

// TestTokensAsPeopleWriteThem: counts by kind in three forms, or one number.
func TestTokensAsPeopleWriteThem(t *testing.T) {
	all := piton.TokenUsage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}
	for text, want := range map[string]piton.TokenUsage{
		"1200": {Input: 1200}, " 0 ": {}, "input=1, output=2,cache_read = 3,cacheWrite= 4": all, `{"input":1,"output":2,"cacheRead":3,"cache_write":4}`: all,
		"output=7": {Output: 7}, "{}": {}, "9223372036854775807": {Input: 1<<63 - 1},
	} {
		got := piton.TokenUsage{Input: 9, Output: 9, CacheRead: 9, CacheWrite: 9}
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": `"" is not a number of tokens`, "-1": `"-1" is not`, "0x10": `"0x10" is not`, "9223372036854775808": "is not a number", "input=1,input=2": `cannot read "input=2"`,
		"input=1,2": `cannot read "2"`, "inputs=1": `no kind of tokens "inputs"`, `{"input":"a"}`: "", `{"input":1`: "", "input=": `"" is not`,
	} {
		var got piton.TokenUsage
		if err := got.UnmarshalText([]byte(text)); piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %+v, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]piton.TokenUsage{"12": {Input: 12}, `{"output":2,"cache_write":4}`: {Output: 2, CacheWrite: 4}} {
		var got piton.TokenUsage
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("JSON %s: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	if err := json.Unmarshal([]byte(`"12"`), new(piton.TokenUsage)); err == nil {
		t.Error("a text as JSON: got no error")
	}
}

// TestIDsOfWhatIsKnown: the same parts have the same id on each machine, and no others.
func TestIDsOfWhatIsKnown(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{{"claude", "a"}, {"claude", "b"}, {"claudea"}, {"claude", "a", ""}, {"c", "laudea"}, {"claude a"}} {
		id := piton.DeriveID(piton.SessionPrefix, parts...)
		if !piton.IsWholeID(piton.SessionPrefix, id) || id != piton.DeriveID(piton.SessionPrefix, parts...) || seen[id] != nil {
			t.Errorf("%q: got the id %s, which %q has", parts, id, seen[id])
		}
		seen[id] = parts
	}
	// What is saved names sessions so: it can never change.
	if got := piton.SessionID("claude", "a"); got != piton.DeriveID(piton.SessionPrefix, "claude", "a") || got != "ses_8wyhy3g6ecjw9cnt" {
		t.Errorf("got %s", got)
	}
	if a, b := piton.SessionID("claude", ""), piton.SessionID("claude", ""); a == b || !piton.IsWholeID(piton.SessionPrefix, a) {
		t.Errorf("got %s and %s for sessions that no client names", a, b)
	}
	for id, want := range map[string]bool{"ses_0123456789abcdef": true, "ses_0123456789abcde": false, "ses_0123456789abcdef0": false, "chk_0123456789abcdef": false} {
		if got := piton.IsWholeID(piton.SessionPrefix, id); got != want {
			t.Errorf("%s: got a whole id %t", id, got)
		}
	}
	here, there := piton.Project{ID: "prj_1", Origin: "github.com/a/b"}, piton.Project{ID: "prj_2", Origin: "github.com/a/b"}
	if here.SharedID() != there.SharedID() || here.SharedID() == "prj_1" || (piton.Project{ID: "prj_1"}).SharedID() != "prj_1" {
		t.Errorf("got the shared ids %s and %s", here.SharedID(), there.SharedID())
	}
}

func TestWhatASaveSays(t *testing.T) {
	one, part := 1, 0
	for name, x := range map[string]struct {
		r    piton.SaveRequest
		want bool
	}{
		"nothing": {piton.SaveRequest{}, false}, "a state alone": {piton.SaveRequest{State: json.RawMessage("{}"), Key: "k"}, false},
		"a name": {piton.SaveRequest{Name: "n"}, true}, "a phase": {piton.SaveRequest{Phase: "p"}, true}, "tags": {piton.SaveRequest{Tags: []string{"t"}}, true},
		"a step's number": {piton.SaveRequest{Step: &one}, true}, "progress": {piton.SaveRequest{Progress: &part}, true}, "a phase's number": {piton.SaveRequest{PhaseNumber: 1}, true},
	} {
		if got := x.r.Describes(); got != x.want {
			t.Errorf("%s: got it describes something: %t", name, got)
		}
	}
	s := piton.Scope{Ref: "r", Workflow: "w", Session: "s", InProject: piton.InProject{Project: "p"}}
	if got, want := s.Choice(), (piton.Choice{Ref: "r", Workflow: "w", Session: "s", InProject: piton.InProject{Project: "p"}}); got != want {
		t.Errorf("got the choice %+v, want %+v", got, want)
	}
	if got := (piton.Checkpoint{Described: piton.Described{Name: "n", Description: "d"}, Trigger: piton.TriggerError}).Says(); got != "n" {
		t.Errorf("got %q, want the place of what is no plan", got)
	}
	if got := (piton.Checkpoint{InWorkflow: piton.InWorkflow{Workflow: "import", WorkflowID: "wf_1"}}).Label() + (piton.Workflow{ID: "wf_1"}).Label(); got != "importwf_1" {
		t.Errorf("got the labels %q", got)
	}
	for branch, want := range map[string]string{"main": "imported/main", "imported/main": "imported/main", "imported": "imported/imported"} {
		if got := piton.AsideOf(branch); got != want || !piton.IsAside(got) || piton.IsAside(branch) != (got == branch) {
			t.Errorf("%s: got the branch aside %s", branch, got)
		}
	}
	for _, s := range piton.RunStatuses {
		if got := s.Ended(); got != (s == piton.RunCompleted || s == piton.RunCancelled) {
			t.Errorf("%s: got it ended: %t", s, got)
		}
	}
}

func TestTimes(t *testing.T) {
	at := piton.At(time.Date(2026, 5, 4, 11, 30, 0, 999, time.FixedZone("", 7200)))
	if at.Millis() != 1777887000000 || piton.FromMillis(at.Millis()) != at || at.String() != "2026-05-04T09:30:00.000Z" {
		t.Errorf("got %s, %d ms", at, at.Millis())
	}
	got := at
	if err := json.Unmarshal([]byte(`""`), &got); err != nil || !got.IsZero() {
		t.Errorf("got %s (%v), want the time unknown", got, err)
	}
	for text, want := range map[string]bool{"9999-12-31T23:59:59Z": true, "9999-12-31T23:59:59-01:00": false, "0000-01-01T00:00:00Z": true, "0000-01-01T00:00:00+01:00": false} {
		if err := got.UnmarshalJSON([]byte(`"` + text + `"`)); (err == nil) != want {
			t.Errorf("%s: got %v", text, err)
		}
	}
	if got := piton.Version(); got == "" || strings.Contains(got, "(devel)") {
		t.Errorf("got the version %q", got)
	}
}
