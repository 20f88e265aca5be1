package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// JSON is the plan as it is kept: the same for the same plan, whatever the
// formatting, comments and order of keys of its file.
func (p Plan) JSON() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(p) // a plan that Parse has read is JSON
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Sum is the sha256 of the plan, in hex. The order of steps, inputs and
// dependencies does not count: it changes nothing of what is done.
func (p Plan) Sum() string {
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		p.Steps[i].Dependencies = slices.Sorted(slices.Values(p.Steps[i].Dependencies))
	}
	slices.SortStableFunc(p.Steps, func(a, b Step) int { return strings.Compare(a.ID, b.ID) })
	p.Inputs = slices.Clone(p.Inputs)
	slices.SortStableFunc(p.Inputs, func(a, b Input) int { return strings.Compare(a.Name, b.Name) })
	sum := sha256.Sum256(p.JSON())
	return hex.EncodeToString(sum[:])
}

// FromJSON reads what JSON wrote. Corrupt for anything else.
func FromJSON(data []byte) (Plan, error) {
	var p Plan
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(&p)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = errors.New("there is something behind its end")
		}
	}
	if err == nil && len(p.Steps) == 0 {
		err = errors.New("it has no steps")
	}
	if err != nil {
		return Plan{}, piton.Errorf(piton.Corrupt, "read the plan of a run", "", "%w", err)
	}
	return p, nil
}
