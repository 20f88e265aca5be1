package main

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressAfter is how long something takes before its progress is shown.
const progressAfter = time.Second

// progress shows on stderr how far something has come, once it has taken a
// second, and on a terminal only. It is drawn when the func is called, and wiped
// when done reaches total: call it so at the end, whatever the end was.
func (a *app) progress(what string) func(done, total int64) {
	if !isTerminal(a.err) || a.json {
		return func(int64, int64) {}
	}
	start := time.Now()
	var bar *progressbar.ProgressBar
	return func(done, total int64) {
		if bar == nil {
			if time.Since(start) < progressAfter || done >= total {
				return
			}
			bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription(what),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionShowCount(),
				progressbar.OptionSetPredictTime(true), progressbar.OptionSetWidth(30))
		}
		if bar.IsFinished() {
			return
		}
		if done >= total {
			_ = bar.Finish()
			return
		}
		bar.ChangeMax64(total)
		_ = bar.Set64(done)
	}
}
