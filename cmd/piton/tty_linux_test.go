package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"unsafe"
)

// ttyMain runs a program with a terminal as its three streams and writes what
// appears there, with plain line ends: tty [-columns N] [-rows N] [-when TEXT -type ^C]
// program [args...]. It types once TEXT has appeared; of several -when and -type each
// waits for the one before it.
func ttyMain() {
	columns := flag.Int("columns", 100, "width of the terminal")
	rows := flag.Int("rows", 40, "height of the terminal")
	var when, keys []string
	several := func(to *[]string) func(string) error {
		return func(s string) error { *to = append(*to, s); return nil }
	}
	flag.Func("when", "type when this has appeared", several(&when))
	flag.Func("type", "what to type; ^C and ^D are keys", several(&keys))
	flag.Parse()
	terminal, side, err := openTerminal(*columns, *rows)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	x := exec.Command(flag.Arg(0), flag.Args()[1:]...)
	x.Stdin, x.Stdout, x.Stderr = side, side, side
	x.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	press := func() {
		fmt.Fprint(terminal, strings.NewReplacer("^C", "\x03", "^D", "\x04", "^M", "\n", "^[", "\x1b").Replace(keys[0]))
		keys, when = keys[1:], append(when, "")[1:]
	}
	for len(when) > 0 && when[0] == "" { // before the program can ask anything
		press()
	}
	if err := x.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	side.Close()
	var seen strings.Builder
	from := 0 // what has appeared before was answered
	buf := make([]byte, 4096)
	for {
		n, err := terminal.Read(buf)
		seen.Write(buf[:n])
		for len(keys) > 0 && strings.Contains(seen.String()[from:], append(when, "")[0]) {
			press()
			from = seen.Len()
		}
		if err != nil {
			break // EIO when the program has ended
		}
	}
	io.WriteString(os.Stdout, strings.ReplaceAll(seen.String(), "\r\n", "\n"))
	var ended *exec.ExitError
	if errors.As(x.Wait(), &ended) {
		os.Exit(ended.ExitCode())
	}
}

// openTerminal opens a pair of a pseudo-terminal: our side and the program's.
func openTerminal(columns, rows int) (ours, theirs *os.File, err error) {
	if ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	var number, unlocked int32
	size := struct{ rows, columns, x, y uint16 }{rows: uint16(rows), columns: uint16(columns)}
	for _, call := range []struct {
		request uintptr
		arg     unsafe.Pointer
	}{
		{syscall.TIOCSPTLCK, unsafe.Pointer(&unlocked)}, {syscall.TIOCGPTN, unsafe.Pointer(&number)}, {syscall.TIOCSWINSZ, unsafe.Pointer(&size)},
	} {
		if _, _, code := syscall.Syscall(syscall.SYS_IOCTL, ours.Fd(), call.request, uintptr(call.arg)); code != 0 {
			return nil, nil, code
		}
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	return ours, theirs, err
}
