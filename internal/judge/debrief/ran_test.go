package debrief_test

import (
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// What runs nothing of a project leaves a change idle.
func TestRunsNothing(t *testing.T) {
	for _, line := range []string{
		"ls -la", "cat a.py", "head -3 a.py", "grep -rn x .", "find . -name '*.py'", "wc -l a.py", "diff a.py b.py", "stat a.py", "file a.py", "tree", "du -sh .",
		"rm -rf build", "rm -f a.log", "unlink a.log", "mv a.txt b.txt", "cp a.txt b.txt", "touch a.txt", "chmod +x a.sh", "chown me a.txt", "ln -s a b", "mkdir -p x", "rmdir x", "truncate -s 0 a.log",
		"tar czf a.tgz src", "unzip a.zip", "zip -r a.zip src", "gzip a.log", "sed -i 's/a/b/' a.txt", "tee a.txt", "pkill -f server", "kill 123", "killall node", "lsof -i :3000", "ps aux", "which python", "date", "sleep 5", "echo done", "printf x",
		"git status", "git diff", "git log -3", "git add -A", "git commit -qm x", "git push", "git checkout -b x", "git stash", "git branch -D x", "gh pr view 3", "gh pr create --fill", "gh issue list",
		"pip install -r requirements.txt", "npm install", "npm ci", "pnpm add x", "yarn add x", "go mod tidy", "cargo add x", "poetry install", "uv sync", "apt-get install -y jq", "brew install jq",
		"docker ps", "docker images", "docker logs x", "kubectl get pods", "code .", "open index.html", "clear", "history", "env", "export A=1", "cd src", "pwd", "whoami", "true", "crontab -l", "systemctl status x", "journalctl -u x",
		"black .", "prettier --write .", "gofmt -w .", "curl -s https://example.org", "wget https://example.org/a.zip", "scp a host:", "rsync -a a host:",
	} {
		r := turn().edit("a.py").at("a.py", tested).run(line, "").look()
		if len(r.Facts) != 1 || r.Facts[0].Class != debrief.ClassIdle {
			t.Errorf("%s: got %+v, want the change idle", line, r.Facts)
		}
	}
	for _, tool := range []string{"update_topic", "mcp_piton_checkpoint_save", "mcp__piton__checkpoint_save", "TodoWrite", "TaskUpdate", "update_plan", "list_mcp_resources", "ListMcpResourcesTool", "activate_skill", "save_memory", "AskUserQuestion", "ToolSearch", "PushNotification"} {
		r := turn().edit("a.py").at("a.py", tested).call(agent.Call{Kind: agent.CallOther, Tool: tool}).look()
		if len(r.Facts) != 1 || r.Facts[0].Class != debrief.ClassIdle {
			t.Errorf("%s: got %+v, want the change idle", tool, r.Facts)
		}
	}
}

// What may load, build or call a change is a run of it.
func TestRunsSomething(t *testing.T) {
	for _, line := range []string{"python a.py", "python3 -c 'import a'", "./run.sh", "docker compose up -d", "systemctl restart bot", "curl -s http://localhost:8000/", "uvicorn a:app", "flask run", "sh deploy.sh", "make run", "cp b.py a.py && systemctl --user restart bot && sleep 5"} {
		r := turn().edit("a.py").at("a.py", tested).run(line, "").look()
		if len(r.Actions) > 0 {
			t.Errorf("%s: held: %q", line, r.Actions)
		}
	}
	r := turn().edit("a.py").at("a.py", tested).call(agent.Call{Kind: agent.CallOther, Tool: "mcp__playwright__browser_navigate"}).look()
	if len(r.Actions) > 0 {
		t.Errorf("held: %q", r.Actions)
	}
}
