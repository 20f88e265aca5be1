package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
)

// loaded measures prompts and stops while as many processes as there are cores do
// nothing but compute. What counts then is how long a person waits at worst: the
// 95th percentile of a hook beside that of git in the same run.
func (l lab) loaded(ctx context.Context) ([]row, error) {
	end, err := l.keepBusy(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	var all []row
	for _, c := range clients {
		rows, err := l.turnOf(c, "busy")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		for _, r := range rows {
			hook, git := quantile(r.got, 0.95), quantile(r.floor, 0.95)
			all = append(all, row{
				what: r.what + ", busy", figure: float64(hook) / float64(git), unit: "x", bar: 2,
				against: fmt.Sprintf("p95 %s, git's %s", ms(hook), ms(git)),
			})
		}
	}
	return all, nil
}

// keepBusy starts a process for each core that computes until end is called, or
// this process ends.
func (l lab) keepBusy(ctx context.Context) (end func(), err error) {
	if err := l.make(ctx, "./bench/busy"); err != nil {
		return nil, err
	}
	var ends []func()
	end = func() {
		for _, end := range ends {
			end()
		}
	}
	for range runtime.NumCPU() {
		c := exec.CommandContext(ctx, l.bin("busy"))
		in, err := c.StdinPipe() // its end ends the process, whatever becomes of this one
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			end()
			return nil, err
		}
		ends = append(ends, func() {
			in.Close()
			_ = c.Wait()
		})
	}
	return end, nil
}
