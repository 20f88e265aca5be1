package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/redact"
)

// console is what the commands share: the streams, the terminal, the exit status
// and the application they call.
type console struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	json     bool
	status   int    // exit status of a command that did not fail
	soFar    string // what a command has done, should it fail now
	options  app.Options
	opened   *app.App
}

// app is the application. It is made when it is first asked for, after the flags
// were read.
func (con *console) app() *app.App {
	if con.opened == nil {
		con.options.Getenv, con.options.StoreFrom = con.getenv, "--store"
		con.opened = app.New(con.options)
	}
	return con.opened
}

func (con *console) close() {
	if con.opened != nil {
		con.opened.Close()
	}
}

// say writes a line to stderr: talk for a person, no data. It may repeat what was
// typed or what stands in a file, so secrets are redacted.
func (con *console) say(format string, args ...any) {
	text, _ := redact.Text(fmt.Sprintf(format, args...))
	fmt.Fprintln(con.err, text)
}

// print writes to stdout.
func (con *console) print(text string) error {
	_, err := io.WriteString(con.out, text)
	return err
}

// answer prints what the application has answered: as JSON where that is asked
// for, else as text says.
func answer[T any](con *console, x T, err error, text func(T) error) error {
	switch {
	case err != nil:
		return err
	case con.json:
		return con.printJSON(x)
	}
	return text(x)
}

// printJSON writes one JSON value and a line feed.
func (con *console) printJSON(v any) error { return writeJSON(con.out, v) }

func writeJSON(w io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	text := []byte(b.String())
	if isTerminal(w) {
		text = cleanJSON(text)
	}
	_, err := w.Write(text)
	return err
}

// forPerson tells whether a person reads our output.
func (con *console) forPerson() bool { return isTerminal(con.out) && !con.json }

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is how many columns the terminal has; 0 where that is not known.
func (con *console) width() int {
	f, ok := con.out.(*os.File)
	if !ok {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// lines reads a person's answer until ctx ends; the end of the input is io.EOF.
func (con *console) lines(ctx context.Context) func() (string, error) {
	in := bufio.NewReader(app.Interruptible(ctx, con.in))
	return func() (string, error) {
		text, err := in.ReadString('\n')
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case text != "" && errors.Is(err, io.EOF):
			err = nil
		case err != nil && !errors.Is(err, io.EOF):
			err = &piton.Error{Code: piton.Unavailable, Op: "read the answer", Err: err}
		}
		return strings.TrimSpace(text), err
	}
}

// progressAfter is how long something takes before its progress is shown.
const progressAfter = time.Second

// progress shows on stderr how far something has come, once it has taken a
// second, and on a terminal only. It is drawn when the func is called, and wiped
// when done reaches total: call it so at the end, whatever the end was.
func (con *console) progress(what string) func(done, total int64) {
	if !isTerminal(con.err) || con.json {
		return func(int64, int64) {}
	}
	start := time.Now()
	var bar *progressbar.ProgressBar
	return func(done, total int64) {
		if bar == nil {
			if time.Since(start) < progressAfter || done >= total {
				return
			}
			bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(con.err), progressbar.OptionSetDescription(what),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionShowCount(),
				progressbar.OptionSetPredictTime(true), progressbar.OptionSetWidth(30))
		}
		switch {
		case bar.IsFinished():
		case done >= total:
			_ = bar.Finish()
		default:
			bar.ChangeMax64(total)
			_ = bar.Set64(done)
		}
	}
}
