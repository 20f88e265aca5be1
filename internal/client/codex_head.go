package client

import (
	"bytes"
	"io"
)

// codexHead is a rollout's first line.
type codexHead struct {
	id      string // the thread's
	session string // the thread that a person speaks to; itself, unless a subagent
	parent  string
	source  string // thread_source: user, subagent
	nested  bool   // source says that it is a subagent
	version string
	cwd     string
}

// subagent tells whether another thread started this one.
func (h codexHead) subagent() bool {
	return h.nested || h.parent != "" || h.source != "" && h.source != "user" || h.session != "" && h.session != h.id
}

// of tells whether the thread is a subagent of a session, or of a subagent of it.
func (h codexHead) of(session string) bool {
	return session != "" && h.id != session && (h.session == session || h.parent == session)
}

// A head holds the model's instructions, but behind what is asked for here: the
// first read is enough for it, but for older versions.
const (
	headBlock = 16 << 10
	headLarge = 1 << 20
)

func readCodexHead(path string) (codexHead, error) {
	f, size, err := openLog(path)
	if err != nil {
		return codexHead{}, err
	}
	defer f.Close()
	return codexHeadFrom(f, size)
}

func codexHeadFrom(r io.ReaderAt, size int64) (codexHead, error) {
	for _, block := range []int64{headBlock, headLarge} {
		buf := make([]byte, min(block, size))
		n, err := r.ReadAt(buf, 0)
		if err != nil && err != io.EOF {
			return codexHead{}, logError(err)
		}
		line, _, whole := bytes.Cut(buf[:n], []byte{'\n'})
		if h := parseCodexHead(line); whole || h.id != "" && h.source != "" || int64(n) == size {
			return h, nil
		}
	}
	return codexHead{}, nil
}

// parseCodexHead reads what can be read of a first line that may be torn.
func parseCodexHead(line []byte) (h codexHead) {
	o := object{b: line}
	for {
		key, ok := o.next()
		if !ok {
			return codexHead{}
		}
		if string(key) == "type" && text(o.value()) != "session_meta" {
			return codexHead{}
		}
		if string(key) == "payload" {
			break
		}
	}
	for key, value := range members(o.ahead()) {
		switch string(key) {
		case "id":
			h.id = text(value)
		case "session_id":
			h.session = text(value)
		case "parent_thread_id":
			h.parent = text(value)
		case "thread_source":
			h.source = text(value)
		case "source":
			sub := member(value, "subagent")
			h.nested = sub != nil
			if p := text(member(member(sub, "thread_spawn"), "parent_thread_id")); h.parent == "" {
				h.parent = p
			}
		case "cli_version":
			h.version = text(value)
		case "cwd":
			h.cwd = text(value)
		}
	}
	return h
}
