package proc

import (
	"bytes"
	"io"
	"strconv"
)

// beside writes to a stream's keeper and to whoever watches it.
func beside(k *kept, watcher io.Writer) io.Writer {
	if watcher == nil {
		return k
	}
	return &watched{k, watcher}
}

type watched struct {
	kept    *kept
	watcher io.Writer
}

func (w *watched) Write(p []byte) (int, error) {
	_, _ = w.watcher.Write(p)
	return w.kept.Write(p)
}

// kept holds the first bytes written to it, and the last where they are asked for. It drops the rest, so that the program does not
// block.
type kept struct {
	head, tail bytes.Buffer
	first      int // how much of the beginning
	last       int // and of the end
	left       int // bytes let go
}

// newKept keeps so many bytes: from the beginning, or half of them from the end.
func newKept(size int, ends bool) *kept {
	if ends {
		return &kept{first: size / 2, last: size - size/2}
	}
	return &kept{first: size}
}

func (k *kept) Write(p []byte) (int, error) {
	n := min(k.first-k.head.Len(), len(p))
	k.head.Write(p[:n])
	k.end(p[n:])
	return len(p), nil
}

// end keeps the last bytes. The buffer holds up to twice as many, so that they are moved seldom.
func (k *kept) end(p []byte) {
	if over := len(p) - k.last; over > 0 {
		k.left += k.tail.Len() + over
		k.tail.Reset()
		p = p[over:]
	}
	k.tail.Write(p)
	if over := k.tail.Len() - 2*k.last; over > 0 {
		k.left += over + k.last
		k.tail.Next(over + k.last)
	}
}

// bytes is what was kept, with a mark where something is missing between beginning and end.
func (k *kept) bytes() []byte {
	if over := k.tail.Len() - k.last; over > 0 {
		k.left += over
		k.tail.Next(over)
	}
	if k.tail.Len() == 0 {
		return k.head.Bytes()
	}
	if k.left > 0 {
		k.head.WriteString("\n[... " + strconv.Itoa(k.left) + " bytes left out ...]\n")
	}
	k.head.Write(k.tail.Bytes())
	return k.head.Bytes()
}
