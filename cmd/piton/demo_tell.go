package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// demoWidth is where lines that are told are broken.
const demoWidth = 92

// title begins a part.
func (d *demo) title(text string) {
	d.n++
	fmt.Fprintf(d.w, "\n%s\n", d.bold(fmt.Sprintf("%d  %s", d.n, text)))
}

func (d *demo) say(format string, args ...any) {
	for _, l := range foldText(fmt.Sprintf(format, args...), demoWidth) {
		fmt.Fprintf(d.w, "   %s\n", l)
	}
}

// says shows what somebody in the session said.
func (d *demo) says(who, text string) {
	for i, l := range foldText(text, demoWidth-8) {
		if i > 0 {
			who = ""
		}
		fmt.Fprintf(d.w, "   %s  %s\n", d.bold(fmt.Sprintf("%-6s", who)), l)
	}
}

// quote shows a text that somebody is told, behind a bar.
func (d *demo) quote(text string) {
	for _, l := range foldText(text, demoWidth) {
		fmt.Fprintf(d.w, "   %s %s\n", d.yellow("│"), l)
	}
}

// shell shows a command and what it printed.
func (d *demo) shell(command, output string) {
	fmt.Fprintf(d.w, "   %s\n", d.green("$ "+command))
	for l := range strings.Lines(strings.TrimRight(output, "\n")) {
		fmt.Fprintf(d.w, "   %s\n", strings.TrimRight(l, "\n"))
	}
}

// foldText breaks a text at spaces. A word that is too long stays whole, so that it
// can be copied.
func foldText(text string, width int) []string {
	var lines []string
	for paragraph := range strings.Lines(text) {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			if line != "" && len(line)+1+len(word) > width {
				lines = append(lines, line)
				line = ""
			}
			line += strings.Repeat(" ", min(len(line), 1)) + word
		}
		lines = append(lines, line)
	}
	return lines
}

// tellLine shows a line of the transcript as a person would see it.
func (p *player) tellLine(raw json.RawMessage) {
	var l struct {
		Type    string
		Message struct{ Content json.RawMessage }
	}
	var blocks []struct {
		Type, Text, Name string
		Input            struct {
			File string `json:"file_path"`
			Old  string `json:"old_string"`
			New  string `json:"new_string"`
		}
	}
	if json.Unmarshal(raw, &l) != nil || l.Type != "assistant" || json.Unmarshal(l.Message.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		file := filepath.Base(b.Input.File)
		switch {
		case b.Type == "text" && b.Text != p.last:
			p.says("agent", b.Text)
		case b.Name == "Read":
			p.says("", "reads "+file)
		case b.Name == "Edit":
			p.says("", "edits "+file)
			p.change(b.Input.Old, p.red, "-")
			p.change(b.Input.New, p.green, "+")
		}
	}
}

func (p *player) change(text string, colour func(string) string, mark string) {
	for l := range strings.Lines(text) {
		fmt.Fprintf(p.w, "             %s\n", colour(mark+" "+strings.ReplaceAll(strings.TrimRight(l, "\n"), "\t", "    ")))
	}
}
