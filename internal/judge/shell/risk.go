package shell

import (
	"slices"
	"strings"
)

// Risk is what a command can destroy beyond recall.
type Risk struct {
	// Kind is one of "delete files", "discard changes", "rewrite history",
	// "destroy data", "overwrite device", "change permissions" and "destroy
	// infrastructure".
	Kind   string
	Detail string // the command's words, or the SQL statement's, at most 120 bytes
}

// Risk reports whether the command is a risky operation: rm -r, git reset
// --hard, git clean -f, a forced push, DROP TABLE and the like. The argv
// counts, so `echo "rm -rf /"` is none. Neither is push --force-with-lease,
// which refuses to overwrite what this clone has not seen, nor a dry run.
// Rule: docs/spec.md, "Automatic triggers" (pre_risky_operation).
func (c Command) Risk() (Risk, bool) {
	if len(c.Words) == 0 || c.DryRun() {
		return Risk{}, false
	}
	words := docker(plain(c.Words))
	if statement := sqlLoss(sqlText(words, c.Stdin)); statement != "" {
		return Risk{"destroy data", clip(statement)}, true
	}
	if kind := risk(words); kind != "" {
		return Risk{kind, clip(strings.Join(c.Words, " "))}, true
	}
	return Risk{}, false
}

func clip(s string) string {
	const most = 120
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most-len("…")], "") + "…"
	}
	return s
}

func risk(words []string) string {
	name := program(words[0])
	a := read(words, valued(name))
	switch name {
	case "rm":
		if a.letter("rR") || a.has("--recursive") {
			return "delete files"
		}
	case "shred":
		return "delete files"
	case "find":
		if slices.Contains(words, "-delete") || removes(executed(words)) {
			return "delete files"
		}
	case "fd", "fdfind":
		if removes(executed(words)) {
			return "delete files"
		}
	case "rsync":
		for _, f := range a.flags {
			if strings.HasPrefix(f.name, "--delete") || f.name == "--del" {
				return "delete files"
			}
		}
	case "chmod", "chown", "chgrp":
		if a.letter("R") || a.has("--recursive") {
			return "change permissions"
		}
	case "dd":
		if to := after(words, "of="); len(to) > 0 && device(to[0]) {
			return "overwrite device"
		}
	case "wipefs", "blkdiscard":
		return "overwrite device"
	case "git":
		return gitRisk(a)
	}
	if strings.HasPrefix(name, "mkfs") {
		return "overwrite device"
	}
	return serviceRisk(name, a)
}

func removes(words []string) bool {
	return len(words) > 0 && among("rm unlink shred", program(plain(words)[0]))
}

func device(name string) bool {
	return strings.HasPrefix(name, "/dev/") && !among("/dev/null /dev/stdout /dev/stderr /dev/tty", name)
}

func gitRisk(a args) string {
	rest := a.from(1)
	switch a.operand(0) {
	case "reset":
		if a.has("--hard") {
			return "discard changes"
		}
	case "clean":
		if (a.letter("f") || a.has("--force")) && !a.letter("n") {
			return "delete files"
		}
	case "checkout":
		if len(a.rest) > 0 || slices.Contains(rest, ".") || a.letter("f") || a.has("--force") {
			return "discard changes"
		}
	case "restore":
		if !(a.letter("S") || a.has("--staged")) || a.letter("W") || a.has("--worktree") {
			return "discard changes"
		}
	case "switch":
		if a.letter("f") || a.has("--force --discard-changes") {
			return "discard changes"
		}
	case "stash":
		if among("drop clear", a.operand(1)) {
			return "discard changes"
		}
	case "worktree":
		if a.operand(1) == "remove" && (a.letter("f") || a.has("--force")) {
			return "discard changes"
		}
	case "branch":
		if a.letter("D") || (a.letter("d") || a.has("--delete")) && (a.letter("f") || a.has("--force")) {
			return "rewrite history"
		}
	case "push":
		forced := func(ref string) bool { return strings.HasPrefix(ref, "+") || strings.HasPrefix(ref, ":") }
		if a.letter("fd") || a.has("--force --delete --mirror --prune") || slices.ContainsFunc(rest, forced) {
			return "rewrite history"
		}
	case "reflog":
		if among("expire delete", a.operand(1)) {
			return "rewrite history"
		}
	case "filter-branch", "filter-repo":
		return "rewrite history"
	}
	return ""
}

func serviceRisk(name string, a args) string {
	sub := a.operand(0)
	switch name {
	case "terraform", "pulumi":
		if sub == "destroy" || a.has("-destroy --destroy") {
			return "destroy infrastructure"
		}
	case "kubectl":
		if sub == "delete" || sub == "drain" {
			return "destroy infrastructure"
		}
	case "helm":
		if among("uninstall delete", sub) {
			return "destroy infrastructure"
		}
	case "docker":
		switch {
		case among("system volume image container network builder", sub) && a.operand(1) == "prune":
			return "destroy data"
		case sub == "volume" && among("rm remove", a.operand(1)):
			return "destroy data"
		case sub == "compose" && a.operand(1) == "down" && (a.letter("v") || a.has("--volumes")):
			return "destroy data"
		}
	case "dropdb":
		return "destroy data"
	case "rails", "rake":
		if slices.ContainsFunc(a.operands, func(task string) bool {
			return among("db:drop db:reset db:drop:all db:migrate:reset db:truncate_all", task)
		}) {
			return "destroy data"
		}
	case "manage.py", "django-admin":
		if among("flush reset_db", sub) {
			return "destroy data"
		}
	case "prisma":
		if sub == "migrate" && a.operand(1) == "reset" || a.has("--force-reset") {
			return "destroy data"
		}
	case "mongosh", "mongo":
		if text := strings.Join(append(a.values("--eval"), a.operands...), " "); strings.Contains(text, ".drop") || strings.Contains(text, ".deleteMany({})") {
			return "destroy data"
		}
	case "aws":
		if sub == "s3" && (a.operand(1) == "rm" && a.has("--recursive") || a.operand(1) == "rb" && a.has("--force")) {
			return "destroy data"
		}
	case "gsutil":
		if sub == "rm" && a.letter("rR") {
			return "destroy data"
		}
	case "gcloud", "az":
		if slices.Contains(a.operands, "delete") {
			return "destroy infrastructure"
		}
	case "gh":
		if sub == "repo" && a.operand(1) == "delete" {
			return "destroy infrastructure"
		}
	case "mysqladmin":
		if slices.Contains(a.operands, "drop") {
			return "destroy data"
		}
	case "redis-cli":
		if slices.ContainsFunc(a.operands, func(o string) bool { return among("FLUSHALL FLUSHDB", strings.ToUpper(o)) }) {
			return "destroy data"
		}
	}
	return ""
}
