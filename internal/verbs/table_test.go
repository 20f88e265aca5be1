package verbs

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/request"
)

// TestDo: a verb hands its request on, and what comes of it back; four are done by their
// doors.
func TestDo(t *testing.T) {
	t.Parallel()
	type asked struct{ Text string }
	v := of(Verb{}, func(_ *app.App, _ context.Context, r asked) (string, error) { return r.Text + "!", errors.New("x") })
	if got, err := v.Do(t.Context(), nil, &asked{"a"}); got != "a!" || err == nil || v.Request.Name() != "asked" || v.Answer.Name() != "string" {
		t.Errorf("got %v, %v of a %s that answers %s", got, err, v.Request, v.Answer)
	}
	var without []string
	for _, v := range All {
		if v.Do == nil {
			without = append(without, v.Request.Name()+" "+v.Answer.Name())
		}
	}
	if got := strings.Join(without, ", "); got != "RunRequest RunView, RunRequest RunPreview, ContinueRequest RunView, RunRefRequest Approval" {
		t.Errorf("got %s without a function", got)
	}
}

// TestRoutes: a verb has a route, and each route is one of its own.
func TestRoutes(t *testing.T) {
	t.Parallel()
	routes, says, reads := map[string]bool{}, map[string]bool{}, 0
	for _, v := range All {
		if len(v.Routes) == 0 || v.Says == "" || v.Group == "" || says[v.Says] {
			t.Errorf("%q: has no route or group, or another verb says the same", v.Says)
		}
		says[v.Says] = true
		for _, r := range v.Routes {
			at := r.Method + " " + r.Path
			if r.ID == "" || routes[at] || !strings.HasPrefix(r.Path, "/") || !r.Hidden && !strings.HasPrefix(r.Path, "/v1/") {
				t.Errorf("%s (%s): is no route of its own", at, r.ID)
			}
			routes[at] = true
			if r.Method == "GET" {
				reads++
			}
			if begins := v.Command == "save" || v.Command == "fork"; begins != (r.Status == 201) || !begins && r.Status != 0 && r.Status != 202 {
				t.Errorf("%s: answers with status %d", at, r.Status)
			}
		}
	}
	for _, want := range []string{"POST /v1/runs/{id}/pause", "POST /v1/runs/{id}/cancel", "GET /v1/checkpoints", "DELETE /v1/checkpoints"} {
		if !routes[want] {
			t.Errorf("there is no route %s", want)
		}
	}
	if got := fmt.Sprint(len(routes), " ", reads); got != "51 26" {
		t.Errorf("got %s routes and reads of all", got)
	}
}

// TestTools: the arguments of a tool, as a hint names them.
func TestTools(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"":                   "x",
		"chk_1":              "x with checkpointId chk_1",
		"chk_1 chk_2":        "x with checkpointId chk_1 and chk_2",
		"workflow w":         "x with workflow w",
		"workflow":           "x with workflow",
		"chk_1 workflow w":   "x with checkpointId chk_1 and workflow w",
		"nearest chk_1":      "x with nearest true and chk_1",
		"workflow w nearest": "x with workflow w and nearest true",
	} {
		if got := asTool(Verb{Tool: "x", Request: reflect.TypeFor[piton.LoadRequest]()}, strings.Fields(list)); got != want {
			t.Errorf("%s: got %s, want %s", list, got, want)
		}
	}
	if f, ok := Option("phase_total"); !ok || f.Go != "PhaseTotal" || IsVerb("phase_total") || !IsVerb("load") || !IsVerb("export") || !IsVerb("runs") {
		t.Errorf("got %+v, %t", f, ok)
	}
}

// TestOptionsOverMCP: an option that some verb has over MCP is told of by its name there, though
// another verb has it elsewhere only.
func TestOptionsOverMCP(t *testing.T) {
	t.Parallel()
	for _, verb := range All {
		for _, f := range request.FormOf(verb.Request).Fields {
			if name := f.Name(request.MCP); name != "" && f.Name(request.HTTP) != "" {
				if had, ok := Option(f.Name(request.HTTP)); !ok || had.Name(request.MCP) == "" {
					t.Errorf("%s of %s is %s over MCP, and a hint knows nothing of it", f.Name(request.HTTP), verb.Command, name)
				}
			}
		}
	}
}
