package setup

import (
	"bytes"
	"encoding/xml"
	"path/filepath"
	"strings"
)

// plistOpening begins the property list; behind it stands our mark, in a comment.
const plistOpening = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!--\n"

// logFile is where launchd writes what the daemon logs.
func (s Service) logFile() string { return filepath.Join(s.State, "serve.log") }

// plist is the property list of launchd.
func (s Service) plist() []byte {
	var b strings.Builder
	b.WriteString(plistOpening + `Written by 'piton serve' with its option install.
-->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + xmlText(s.Name()) + `</string>
	<key>ProgramArguments</key>
	<array>
`)
	for _, word := range append([]string{s.Program, "serve"}, s.Args...) {
		b.WriteString("\t\t<string>" + xmlText(word) + "</string>\n")
	}
	b.WriteString("\t</array>\n\t<key>EnvironmentVariables</key>\n\t<dict>\n")
	for _, pair := range append([]string{"PITON_HOME=" + s.State}, s.Env...) {
		name, value, _ := strings.Cut(pair, "=")
		b.WriteString("\t\t<key>" + xmlText(name) + "</key>\n\t\t<string>" + xmlText(value) + "</string>\n")
	}
	b.WriteString(`	</dict>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ExitTimeOut</key>
	<integer>40</integer>
	<key>ProcessType</key>
	<string>Background</string>
	<key>Umask</key>
	<integer>63</integer>
	<key>StandardOutPath</key>
	<string>` + xmlText(s.logFile()) + `</string>
	<key>StandardErrorPath</key>
	<string>` + xmlText(s.logFile()) + `</string>
</dict>
</plist>
`)
	return []byte(b.String())
}

func xmlText(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // writing to a buffer does not fail
	return b.String()
}

// plistProgram is the program that a property list of ours starts.
func plistProgram(text string) string {
	_, rest, _ := strings.Cut(text, "<key>ProgramArguments</key>")
	_, rest, _ = strings.Cut(rest, "<string>")
	rest, _, ok := strings.Cut(rest, "</string>")
	var program string
	if !ok || xml.Unmarshal([]byte("<s>"+rest+"</s>"), &program) != nil {
		return ""
	}
	return program
}
