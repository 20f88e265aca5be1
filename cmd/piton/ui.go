package main

import (
	"cmp"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/api"
	"github.com/piton-project/piton/internal/cli"
	ui "github.com/piton-project/piton/internal/page"
	"github.com/piton-project/piton/internal/proc"
)

func uiCommand(con console) *cobra.Command {
	var stay bool
	c := &cobra.Command{
		Use:   "ui",
		Short: "Look at everything on a page in the browser",
		Long: `Open a page in the browser that shows, and follows, what Piton knows: who works, who
waits for you and why, what was destroyed, turns step by step, workflows, runs and
numbers. The daemon serves it where one runs, else this command does, until Ctrl-C.

The page is on the loopback only. The address that is printed lets in one browser, once,
for five minutes: give it to nobody. Approvals and undo are shown there with the command
to type, and given on a terminal.`,
		Example: "  piton ui\n  piton ui --no-open\n  piton ui --json",
		Args:    cli.None(""),
		RunE: func(c *cobra.Command, _ []string) error {
			if d, ok := con.App().Daemon(); ok {
				x, err := daemonPage(c.Context(), d.Socket)
				return cli.Answer(con, x, err, func(x api.PageAddress) error { return con.openPage(x.Address, stay) })
			}
			return con.ownPage(c.Context(), stay)
		},
	}
	c.Flags().BoolVar(&stay, "no-open", false, "print the address, and open no browser")
	return c
}

const opUI = "open the page"

// daemonPage asks the daemon for its page.
func daemonPage(ctx context.Context, socket string) (x api.PageAddress, err error) {
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://piton/v1/page", strings.NewReader("{}"))
	if err != nil {
		return x, err
	}
	r.Header.Set("Content-Type", "application/json")
	got, err := client.Do(r)
	if err != nil {
		return x, &piton.Error{Code: piton.Unavailable, Op: opUI, Hint: "'piton doctor' looks at the daemon", Err: err}
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		var why api.Problem
		_ = json.NewDecoder(got.Body).Decode(&why)
		older := map[int]string{http.StatusNotFound: "a daemon of an older version has no page: end it, and start this one's"}
		return x, piton.Errorf(piton.Unavailable, opUI, cmp.Or(older[got.StatusCode], why.Hint, "'piton doctor' looks at the daemon"), "the daemon answers %s", cmp.Or(why.Message, got.Status))
	}
	return x, json.NewDecoder(got.Body).Decode(&x)
}

// ownPage serves the page until ctx ends.
func (con console) ownPage(ctx context.Context, stay bool) error {
	o := con.AppOptions()
	o.Progress = nil // nobody is at the terminal
	p, err := ui.Listen(ui.Options{App: o, API: api.New(api.Options{App: o}).Handler(api.Socket)})
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- p.Serve() }()
	defer p.Close()
	err = cli.Answer(con, api.PageAddress{Address: p.Address()}, nil, func(x api.PageAddress) error { return con.openPage(x.Address, stay) })
	if err != nil {
		return err
	}
	con.Say("The page is served until this command ends: Ctrl-C. 'piton serve' keeps it.")
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

// openPage prints the address of the page, and opens it where there is a screen.
func (con console) openPage(address string, stay bool) error {
	if err := con.Print(address + "\n"); err != nil || stay || !con.Person() {
		return err
	}
	if opener := con.browser(); opener == "" || proc.Detach([]string{opener, address}, "", os.Environ()) != nil {
		con.Say("Open it in a browser on this machine.")
	}
	return nil
}

// browser is the program that opens an address; "" where none is known, or there is no
// screen.
func (con console) browser() string {
	own := con.Getenv("BROWSER")
	if own == "" && runtime.GOOS != "darwin" && con.Getenv("DISPLAY")+con.Getenv("WAYLAND_DISPLAY") != "" {
		own = "xdg-open"
	}
	return cmp.Or(own, map[string]string{"darwin": "open"}[runtime.GOOS])
}
