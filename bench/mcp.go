package main

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// What an older client says first, and then.
const (
	mcpHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}` + "\n"
	mcpTools = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
)

// mcp measures how long an agent waits for the MCP server: from the start of the
// process to the first answer, and to the list of tools.
func (l lab) mcp(ctx context.Context) ([]row, error) {
	first := row{what: "MCP server: start to the first answer", against: "the SDK's bare server", bar: 1.3}
	tools := row{what: "the same: to the list of tools", against: "the SDK's bare server, one tool"}
	for i := range l.n + 3 {
		var took [2][2]time.Duration
		for k, argv := range [][]string{{l.bin("piton"), "mcp"}, {l.bin("bareserver")}} {
			var err error
			if took[k], err = l.opening(ctx, argv); err != nil {
				return nil, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
			}
		}
		if i < 3 {
			continue // warm-up
		}
		first.got, first.floor = append(first.got, took[0][0]), append(first.floor, took[1][0])
		tools.got, tools.floor = append(tools.got, took[0][1]), append(tools.floor, took[1][1])
	}
	return []row{first, tools}, nil
}

// opening starts a server and times its first two answers.
func (l lab) opening(ctx context.Context, argv []string) (took [2]time.Duration, err error) {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir, c.Env = l.dir, l.env()
	in, err := c.StdinPipe()
	if err != nil {
		return took, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return took, err
	}
	answers := bufio.NewReaderSize(out, 1<<20)
	start := time.Now()
	if err := c.Start(); err != nil {
		return took, err
	}
	for i, text := range []string{mcpHello, mcpTools} {
		if _, err = in.Write([]byte(text)); err != nil {
			break
		}
		var line string
		if line, err = answers.ReadString('\n'); err == nil && !strings.Contains(line, `"result"`) {
			err = fmt.Errorf("got %s", line)
		}
		if err != nil {
			break
		}
		took[i] = time.Since(start)
	}
	in.Close()
	if end := c.Wait(); err == nil {
		err = end
	}
	return took, err
}
