package setup

import (
	"strings"
)

// unit is the unit of systemd. The daemon tells systemd when it is ready and that it
// lives; it ends within 20 seconds, with the steps that it runs.
func (s Service) unit() []byte {
	var b strings.Builder
	b.WriteString(`# Written by 'piton serve --install'. To change it: systemctl --user edit ` + s.Name() + `
[Unit]
Description=Piton daemon
Documentation=https://github.com/piton-project/piton

[Service]
Type=notify
ExecStart=` + s.command() + `
ExecReload=/bin/kill -HUP $MAINPID
`)
	for _, pair := range append([]string{"PITON_HOME=" + s.State}, s.Env...) {
		b.WriteString("Environment=" + unitWord(pair, false) + "\n")
	}
	b.WriteString(`Restart=on-failure
RestartSec=5
WatchdogSec=120
KillMode=mixed
TimeoutStopSec=40
UMask=0077

[Install]
WantedBy=default.target
`)
	return []byte(b.String())
}

func (s Service) command() string {
	words := []string{unitWord(s.Program, false), "serve"}
	for _, a := range s.Args {
		words = append(words, unitWord(a, true))
	}
	return strings.Join(words, " ")
}

// unitWord is a word of a unit: in quotes, with what systemd would replace written
// twice. Only the words behind a command's program have variables.
func unitWord(s string, argument bool) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(s)
	if argument {
		s = strings.ReplaceAll(s, "$", "$$")
	}
	return `"` + s + `"`
}

// unitProgram is the program that a unit of ours starts.
func unitProgram(text string) string {
	_, rest, _ := strings.Cut(text, "\nExecStart=\"")
	rest, _, ok := strings.Cut(rest, `" serve`)
	if !ok {
		return ""
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `%%`, `%`).Replace(rest)
}
