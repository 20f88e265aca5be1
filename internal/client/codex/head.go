package codex

import (
	"bytes"
	"cmp"
	"io"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/logfile"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// head is a rollout's first line.
type head struct {
	id      string // the thread's
	session string // the thread that a person speaks to; itself, unless a subagent
	parent  string
	source  string // thread_source: user, subagent
	nested  bool   // source says that it is a subagent
	version string
	cwd     string
	branch  string
	origin  string // the URL of the repository's origin
}

// subagent reports whether another thread started this one.
func (h head) subagent() bool {
	return h.nested || h.parent != "" || cmp.Or(h.source, "user") != "user" || cmp.Or(h.session, h.id) != h.id
}

// of reports whether the thread is a subagent of a session, or of a subagent of it.
func (h head) of(session string) bool {
	return session != "" && h.id != session && (h.session == session || h.parent == session)
}

// A head holds the model's instructions, but behind what is asked for here: the
// first read is enough for it, but for older versions.
const (
	headBlock = 16 << 10
	headLarge = 1 << 20
)

func readHead(path string) (head, error) {
	f, size, err := logfile.Open(path)
	if err != nil {
		return head{}, err
	}
	defer f.Close()
	return headFrom(f, size)
}

func headFrom(r io.ReaderAt, size int64) (head, error) {
	for _, block := range []int64{headBlock, headLarge} {
		buf := make([]byte, min(block, size))
		n, err := r.ReadAt(buf, 0)
		if err != nil && err != io.EOF {
			return head{}, logfile.Error(err)
		}
		line, _, whole := bytes.Cut(buf[:n], []byte{'\n'})
		if h := parseHead(line); whole || h.id != "" && h.source != "" || int64(n) == size {
			return h, nil
		}
	}
	return head{}, nil
}

// parseHead reads what can be read of a first line that may be torn.
func parseHead(line []byte) (h head) {
	o := rawjson.Object{B: line}
	for {
		key, ok := o.Next()
		if !ok {
			return head{}
		}
		if string(key) == "type" && rawjson.Text(o.Value()) != "session_meta" {
			return head{}
		}
		if string(key) == "payload" {
			break
		}
	}
	for key, value := range rawjson.Members(o.Ahead()) {
		switch string(key) {
		case "id":
			h.id = rawjson.Text(value)
		case "session_id":
			h.session = rawjson.Text(value)
		case "parent_thread_id":
			h.parent = rawjson.Text(value)
		case "thread_source":
			h.source = rawjson.Text(value)
		case "source":
			sub := rawjson.Member(value, "subagent")
			h.nested = sub != nil
			if p := rawjson.Text(rawjson.Member(rawjson.Member(sub, "thread_spawn"), "parent_thread_id")); h.parent == "" {
				h.parent = p
			}
		case "cli_version":
			h.version = rawjson.Text(value)
		case "cwd":
			h.cwd = rawjson.Text(value)
		case "git":
			v := rawjson.Values(value, "branch", "repository_url")
			h.branch, h.origin = rawjson.Text(v[0]), rawjson.Text(v[1])
		}
	}
	return h
}

// About is what the rollout's first line says.
func (Client) About(path string) (client.About, error) {
	h, err := readHead(path)
	x := client.About{Wrote: h.id != "", ID: h.id, Dir: h.cwd, Origin: h.origin, Branch: h.branch, Version: h.version, Subagent: h.subagent()}
	return x.Checked(), err
}
