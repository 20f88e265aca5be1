package agent

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"path"
	"slices"
)

// MaxSeen is how many paths a session remembers. The row of a session is read
// and written at every event, and 400 paths are 2.1 KB of it.
const MaxSeen = 400

// Seen are paths that an agent was shown or edited in earlier turns, the newest
// last, each as a sum of four bytes: enough to recognise a path, and nothing of
// it can be read. Two of 400 paths and another one have the same sum once in ten
// million times.
type Seen []uint32

// With returns the paths with more of them, each once. full reports that the
// oldest were dropped.
func (s Seen) With(paths []string) (all Seen, full bool) {
	all = slices.Clone(s)
	known := make(map[uint32]bool, len(all)+len(paths))
	for _, sum := range all {
		known[sum] = true
	}
	for _, p := range paths {
		if sum := pathSum(p); !known[sum] {
			known[sum] = true
			all = append(all, sum)
		}
	}
	if len(all) > MaxSeen {
		return slices.Clone(all[len(all)-MaxSeen:]), true
	}
	return all, false
}

// Has reports whether a path is among them, or a folder that it lies in.
func (s Seen) Has(file string) bool {
	if len(s) == 0 {
		return false
	}
	for p := path.Clean(file); ; p = path.Dir(p) {
		if slices.Contains(s, pathSum(p)) {
			return true
		}
		if p == "." || p == "/" {
			return false
		}
	}
}

func pathSum(p string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(path.Clean(p)))
	return h.Sum32()
}

// MarshalJSON writes the sums as one text.
func (s Seen) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 4*len(s))
	for _, sum := range s {
		b = binary.LittleEndian.AppendUint32(b, sum)
	}
	return json.Marshal(base64.RawStdEncoding.EncodeToString(b))
}

// UnmarshalJSON reads what MarshalJSON wrote. What cannot be read is as if
// nothing had been seen.
func (s *Seen) UnmarshalJSON(data []byte) error {
	*s = nil
	var text string
	if json.Unmarshal(data, &text) != nil {
		return nil
	}
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(b)%4 != 0 {
		return nil
	}
	for ; len(b) > 0; b = b[4:] {
		*s = append(*s, binary.LittleEndian.Uint32(b))
	}
	return nil
}
