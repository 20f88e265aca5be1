package redact

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Bounds of looking ahead.
const (
	aheadFrom  = 64 << 10 // bytes of a document; goroutines cost more than a smaller one
	maxWorkers = 4        // goroutines for one document
)

// look looks at the long texts of a large document ahead of the walk. To find them
// takes a walk too, which costs little; where that fails the walk itself says why.
func (d *document) look() {
	n := min(runtime.GOMAXPROCS(0), maxWorkers)
	if len(d.src) < aheadFrom || n < 2 {
		return
	}
	first := document{reader: d.reader, src: d.src, ahead: &ahead{}}
	first.names = nil
	if first.walk() != nil {
		return
	}
	a := first.ahead
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, len(a.texts)) - 1 {
		wg.Go(func() { a.search(d, &next) })
	}
	a.search(d, &next)
	wg.Wait()
	a.known = true
	d.ahead = a
}

// search looks at one text after the other that nobody else has taken. After a panic
// the rest are for the walk, so that it happens where the caller can see it.
func (a *ahead) search(of *document, next *atomic.Int64) {
	defer func() { _ = recover() }()
	own := document{reader: of.reader, src: of.src}
	own.names = nil // nobody else's
	for i := int(next.Add(1)) - 1; i < len(a.texts); i = int(next.Add(1)) - 1 {
		t := &a.texts[i]
		var text string
		var err error
		if text, own.plain, err = decoded(own.src, t.from, t.to, t.escaped, own.plain); err == nil {
			_, found := own.text(text)
			t.free = found == 0
		}
	}
}
