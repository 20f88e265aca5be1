package page

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// deed is something that a person may do on the page: where a mistake is harmless, or asked
// back. Approvals and undo are not among them: an agent can drive a browser, so they are
// given on a terminal.
type deed struct {
	path string // of the API; {id} is the thing
	body string // likewise
}

var deeds = map[string]deed{
	"pause-run":         {path: "/v1/runs/{id}/pause"},
	"cancel-run":        {path: "/v1/runs/{id}/cancel"},
	"continue-run":      {path: "/v1/runs/{id}/continue"},
	"complete-workflow": {path: "/v1/complete", body: `{"workflow":{id}}`},
	"retry-letters":     {path: "/v1/letters/retry", body: `{"letters":[{id}]}`},
	"drop-letters":      {path: "/v1/letters/drop", body: `{"letters":[{id}]}`},
}

// wish is what a button asks for. A person has been shown the thing by its name, and their
// word names it again.
type wish struct {
	Thing   string `json:"thing"`
	Confirm string `json:"confirm"`
}

const maxWish = 4096

// act does what a button asks for, through the API: what holds there holds here.
func act(api http.Handler, w http.ResponseWriter, r *http.Request) {
	d, ok := deeds[r.PathValue("verb")]
	var asked wish
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxWish))
	if err == nil {
		err = json.Unmarshal(text, &asked)
	}
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "this is not done on the page")
		return
	case r.Header.Get("Content-Type") != "application/json", err != nil, asked.Thing == "":
		refuse(w, http.StatusBadRequest, "a request of the page's own buttons is missing something: load the page again")
		return
	case asked.Confirm != asked.Thing:
		refuse(w, http.StatusConflict, "it was not confirmed, and nothing was done")
		return
	}
	name, _ := json.Marshal(asked.Thing)
	body := strings.ReplaceAll(d.body, "{id}", string(name))
	if body == "" {
		body = "{}"
	}
	to, err := http.NewRequestWithContext(r.Context(), http.MethodPost, "http://piton"+strings.ReplaceAll(d.path, "{id}", url.PathEscape(asked.Thing)), bytes.NewReader([]byte(body)))
	if err != nil {
		refuse(w, http.StatusBadRequest, "the thing has no name that can be asked for")
		return
	}
	to.Header.Set("Content-Type", "application/json")
	got := reply{header: http.Header{}, status: http.StatusOK}
	api.ServeHTTP(&got, to)
	var answer struct{ Message, Hint string }
	_ = json.Unmarshal(got.text.Bytes(), &answer)
	if got.status/100 != 2 {
		refuse(w, got.status, strings.TrimSuffix(answer.Message+". "+answer.Hint, ". "))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// reply keeps what the API answers.
type reply struct {
	header http.Header
	status int
	text   bytes.Buffer
}

func (r *reply) Header() http.Header         { return r.header }
func (r *reply) WriteHeader(status int)      { r.status = status }
func (r *reply) Write(b []byte) (int, error) { return r.text.Write(b) }
