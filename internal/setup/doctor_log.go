package setup

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/clients"
)

// maxLogsListed bounds the names that are looked at to find the newest log. The
// newest folders are looked at first.
const maxLogsListed = 20_000

// newestLog: the client's logs are in a form that Piton can read. A new version
// of a client may write another one; then a stop does not know what the agent
// did. The newest log stands for all.
func (x *exam) newestLog() Check {
	const name = "newest log"
	path, closed := newest(x.ConfigDir, x.client.Logs)
	if closed != nil {
		return client.Warn(name, "where logs lie cannot be read: "+closed.Error()+". At a stop Piton sees which files changed, but no command, and asks for checks that may have run", "make that folder readable: agents run as another user may have made it")
	}
	if path == "" {
		return client.Pass(name, "there is none yet")
	}
	script, err := x.transcript(path)
	why := script.Unreadable
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return client.Pass(name, "there is none any more")
	case errors.Is(err, fs.ErrPermission):
		return client.Warn(name, err.Error()+". At a stop Piton sees which files changed, but no command, and asks for checks that may have run", "make it readable: an agent that ran as another user may have made it")
	case err != nil:
		why = err.Error()
	case why == "":
		return client.Pass(name, path+" can be read")
	}
	return client.Warn(name, fmt.Sprintf("%s cannot be read: %s. At a stop with such a log Piton sees which files changed, but no command, and asks for checks that may have run", path, why),
		"update Piton; if the next session's log cannot be read either, report it with the versions of Piton and of "+x.client.Title)
}

// transcript reads the newest turn of a log. A log that breaks the reader cannot
// be read.
func (x *exam) transcript(path string) (t agent.Transcript, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("reading it failed: %v", r)
		}
	}()
	c, _ := clients.ByName(x.client.name)
	return c.Transcript(path, time.Time{}, 0)
}

// newest is the plain file below a folder that was changed last, of those that
// one of the patterns names and that hold something; "" for none. closed is why a folder
// could not be read. Links are not followed.
func newest(root string, patterns []string) (file string, closed error) {
	left := maxLogsListed
	var last time.Time
	for _, pattern := range patterns {
		err := walk(root, strings.Split(pattern, "/"), &left, func(path string, info fs.FileInfo) {
			if info.Size() > 0 && info.ModTime().After(last) {
				file, last = path, info.ModTime()
			}
		})
		closed = cmp.Or(closed, err)
	}
	return file, closed
}

// walk hands on the files that a pattern names, part by part, the newest folders
// first. The error is the first folder that may not be read.
func walk(dir string, parts []string, left *int, take func(string, fs.FileInfo)) (closed error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err != nil {
		return nil
	}
	var folders []fs.FileInfo
	for _, e := range entries {
		if *left--; *left < 0 {
			break
		}
		if ok, _ := path.Match(parts[0], e.Name()); !ok {
			continue
		}
		info, err := e.Info()
		switch {
		case err != nil:
		case len(parts) > 1 && info.IsDir():
			folders = append(folders, info)
		case len(parts) == 1 && info.Mode().IsRegular():
			take(filepath.Join(dir, e.Name()), info)
		}
	}
	slices.SortStableFunc(folders, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, f := range folders {
		closed = cmp.Or(closed, walk(filepath.Join(dir, f.Name()), parts[1:], left, take))
	}
	return closed
}
