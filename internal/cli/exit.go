package cli

import "github.com/piton-project/piton"

// Interrupted is the exit status after Ctrl-C, as shells have it.
const Interrupted = 130

// Exit statuses of runs.
const (
	StepFailed = 7
	InDoubt    = 8
	Waits      = 9
)

// Status is one row of the table of exit statuses.
type Status struct {
	Status  int        `json:"status"`
	Code    piton.Code `json:"code,omitempty"`
	Meaning string     `json:"meaning"`
}

// Statuses returns the one table of exit statuses; 'piton help exit' prints it.
func Statuses() []Status {
	return []Status{
		{0, "", "success"},
		{1, piton.Internal, "something failed inside Piton"},
		{2, piton.Invalid, "the input or the command line is not acceptable; nothing of it was written"},
		{3, piton.NotFound, "what was asked for was not found"},
		{4, piton.Conflict, "the branch has moved on or a name is taken; nothing was written; run: another process works on it, or it is queued"},
		{5, piton.Corrupt, "stored bytes are damaged; no wrong state is ever printed"},
		{6, piton.Unavailable, "the store or a program cannot be reached right now; doctor: something is broken"},
		{StepFailed, "", "run: a step failed or could not be done, or a budget is used up; it can be resumed"},
		{InDoubt, "", "run: a step may have taken effect, and a person must say so"},
		{Waits, "", "run: nothing but a person's approval is missing"},
		{Interrupted, "", "interrupted with Ctrl-C, or told to end; run: paused or cancelled"},
	}
}

// StatusOf is the exit status of a code.
func StatusOf(code piton.Code) int {
	for _, s := range Statuses() {
		if s.Code == code {
			return s.Status
		}
	}
	return 1
}
