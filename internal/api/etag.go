package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// What a client has of a state is right as long as its sum is the state's: so it asks with
// the sum, and is told 304. Each time it is looked whether the checkpoint is still there.

const headerTag = "ETag"

// tagOf is the tag of an answer's bytes.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return tagOfSum(hex.EncodeToString(sum[:]))
}

func tagOfSum(sum string) string { return `"` + sum + `"` }

// tagged notes the tag of an answer, and tells whether the client has it: then it is
// answered.
func tagged(w http.ResponseWriter, r *http.Request, tag string) bool {
	w.Header().Set(headerTag, tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if !hasTag(r, tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// hasTag tells whether a request says that its client has what has this tag.
func hasTag(r *http.Request, tag string) bool {
	for _, one := range strings.Split(r.Header.Get("If-None-Match"), ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
			return true
		}
	}
	return false
}

// answerTagged answers with JSON that has a tag.
func answerTagged(w http.ResponseWriter, r *http.Request, answer any) error {
	var b bytes.Buffer
	if err := format().Marshal(&b, answer); err != nil {
		return err
	}
	if !tagged(w, r, tagOf(b.Bytes())) {
		_, _ = w.Write(b.Bytes())
	}
	return nil
}

// describeTag says in the document that an answer has a tag.
func describeTag(op *huma.Operation) {
	op.Parameters = append(op.Parameters, &huma.Param{In: "header", Name: "If-None-Match", Description: "the ETag of the answer that the client has", Schema: &huma.Schema{Type: huma.TypeString}})
	header := &huma.Param{Description: "of the answer's bytes: of a state its sha256", Schema: &huma.Schema{Type: huma.TypeString}}
	ok := op.Responses["200"]
	if ok.Headers == nil {
		ok.Headers = map[string]*huma.Param{}
	}
	ok.Headers[headerTag] = header
	op.Responses["304"] = &huma.Response{Description: "what the client has is right", Headers: map[string]*huma.Param{headerTag: header}}
}
