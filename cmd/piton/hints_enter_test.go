package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/api"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/event"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/verbs"
)

// What a spot learns of what is said.
var (
	savedID = regexp.MustCompile(`chk_[0-9a-z]{16}`)
	newRun  = regexp.MustCompile(`run_[0-9a-z]{16}`)
	session = regexp.MustCompile(`ses_[0-9a-z]{16}`)
)

// piton runs a command line in this process.
func (p *spot) piton(args []string) (int, string) {
	var out, errOut bytes.Buffer
	status := run(p.Context(), args, strings.NewReader(""), &out, &errOut, p.getenv)
	if id := savedID.FindString(out.String()); id != "" && args[0] == "save" {
		if p.vars["1"] == "" {
			p.vars["1"] = id
		} else if p.vars["2"] == "" {
			p.vars["2"] = id
		}
	}
	said := out.String() + errOut.String()
	p.learn(said)
	return status, said
}

func (p *spot) learn(said string) {
	for name, r := range map[string]*regexp.Regexp{"RUN": newRun, "SES": session} {
		if id := r.FindString(said); id != "" && p.vars[name] == "" {
			p.vars[name] = id
		}
	}
}

func (p *spot) getenv(name string) string { return p.env[name] }

// hook is piton-hook's reply to an event.
func (p *spot) hook(client, payload string) string {
	var out bytes.Buffer
	event.Serve(p.Context(), []string{client}, strings.NewReader(payload), &out, p.getenv)
	var reply struct {
		SystemMessage, Reason string
		HookSpecificOutput    struct{ AdditionalContext string }
	}
	if out.Len() > 0 {
		p.ok(json.Unmarshal(out.Bytes(), &reply))
	}
	return reply.SystemMessage + reply.Reason + reply.HookSpecificOutput.AdditionalContext
}

// request asks the HTTP API, whose hints name verbs, and returns its answer as the
// command line words it. It begins no runs.
func (p *spot) request(method, path, body string) (int, string) {
	s := httptest.NewServer(api.New(api.Options{App: caller.Options{Home: p.dir + "/state", Getenv: p.getenv, Environ: []string{}}}).Handler(api.Socket))
	defer s.Close()
	q, err := http.NewRequestWithContext(p.Context(), method, s.URL+path, strings.NewReader(body))
	p.ok(err)
	q.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(q)
	p.ok(err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	p.ok(err)
	var problem struct{ Detail, Hint string }
	if answer.StatusCode < 300 {
		return 0, string(b)
	}
	p.ok(json.Unmarshal(b, &problem))
	return answer.StatusCode, "piton: " + problem.Detail + "\nhint: " + verbs.CommandLine(problem.Hint)
}

// process runs a program. started: piton, which stays.
func (p *spot) process(how string, args []string) (int, string) {
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	if how == "start" {
		ctx, args = context.WithoutCancel(ctx), append([]string{"piton"}, args...)
	}
	var said bytes.Buffer
	c := exec.CommandContext(ctx, need.Program(p.T, args[0]), args[1:]...)
	env := map[string]string{"TERM": "dumb", "GORACE": "atexit_sleep_ms=0"}
	maps.Copy(env, p.env)
	for name, value := range env {
		c.Env = append(c.Env, name+"="+value)
	}
	if how == "start" {
		defer cancel()
		p.started = append(p.started, c)
		c.Stderr = &said
		p.ok(c.Start())
		p.vars["PID"] = strconv.Itoa(c.Process.Pid)
		return 0, ""
	}
	defer cancel()
	c.Stdout, c.Stderr = &said, &said
	_ = c.Run()
	p.learn(said.String())
	return c.ProcessState.ExitCode(), said.String()
}
