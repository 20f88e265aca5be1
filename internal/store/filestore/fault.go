package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store/localfs"
)

// errNoFolder is the error for what stands where a folder of the store belongs.
type errNoFolder string

func (e errNoFolder) Error() string { return string(e) + " is no folder in the store's folder" }

// errUnsettled says that the folder changes, or that a transaction is not applied yet.
// Under the writers' lock it is.
var errUnsettled = errors.New("the folder is being written")

// errMoved ends a transaction that is to run again: another program has changed a file
// that it reads or was to write.
var errMoved = errors.New("another program has just changed it")

// unusable reports whether read's error says that the file is not ours,
// whatever is tried again.
func unusable(err error) bool {
	return errors.Is(err, localfs.ErrIrregular) || errors.Is(err, localfs.ErrTooLarge)
}

// cannotRead says of a checkpoint's file why it is damaged.
func cannotRead(err error) string {
	switch {
	case errors.Is(err, localfs.ErrIrregular):
		return "it is no regular file"
	case errors.Is(err, localfs.ErrTooLarge):
		return fmt.Sprintf("it is larger than %d MiB", maxCheckpoint>>20)
	}
	return "it cannot be read: " + err.Error()
}

// fail gives an error of the file system its code and what to do next.
func fail(op string, err error) error {
	var known *piton.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) {
		return localfs.NoRoom(op, err)
	}
	hint := "see that the folder can be read and written, and that the disk is not full"
	switch {
	case errors.Is(err, localfs.ErrBusy):
		hint = "another process holds it for long; try again"
	case errors.Is(err, errUnsettled):
		hint = "others are writing all the time; try again"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		hint = "it took too long; try again"
	case errors.As(err, new(errNoFolder)), unusable(err):
		hint = "look at what stands there and who has put it there; move it away if it is none of yours"
	}
	return &piton.Error{Code: piton.Unavailable, Op: op, Hint: hint, Err: err}
}

// cause is an error of the file system without the path, which the message names
// already.
func cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}
