package daemon

import (
	"net/http"
	"sync"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/page"
)

// shown is the page for people. It is opened when somebody first asks for it: a machine
// whose user never looks has no port open for it.
type shown struct {
	works *works
	api   http.Handler

	mu    sync.Mutex
	page  *page.Page
	ended bool
}

// address opens the page where it is not open, and gives an address that holds once.
func (x *shown) address() (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return "", piton.Errorf(piton.Unavailable, "open the page", "try again in a moment", "the daemon ends")
	}
	if x.page == nil {
		opened, err := page.Listen(page.Options{App: x.works.app, API: x.api, Log: x.works.log})
		if err != nil {
			return "", err
		}
		x.page = opened
		go func() {
			err := opened.Serve()
			x.mu.Lock()
			defer x.mu.Unlock()
			if x.page = nil; err != nil {
				x.works.log.Warn("the page has ended", "err", err)
			}
		}()
	}
	return x.page.Address(), nil
}

// close ends it, with all who look.
func (x *shown) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = true
	if x.page != nil {
		x.page.Close()
	}
}
