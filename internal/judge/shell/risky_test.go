package shell

import (
	"strings"
	"testing"
)

func TestRisky(t *testing.T) {
	for _, c := range []struct{ line, kind string }{
		{"rm -rf build", "delete files"},
		{"cd /tmp && sudo rm -rf a", "delete files"},
		{"(cd a; rm -r b)", "delete files"},
		{"bash -c 'sudo -u x bash -lc \"rm -rf a\"'", "delete files"},
		{"env A=1 timeout 5 sudo rm -rf a", "delete files"},
		{"if true; then rm -rf a; fi", "delete files"},
		{"for d in a b; do rm -rf $d; done", "delete files"},
		{"x=$(rm -rf a)", "delete files"},
		{"rm -rf a &", "delete files"},
		{"find . -name '*.o' -delete", "delete files"},
		{"find . -type d -print0 | xargs -0 rm -rf", "delete files"},
		{"git status && git reset --hard HEAD~1", "discard changes"},
		{"git checkout -- .", "discard changes"},
		{"git checkout HEAD -- a.go", "discard changes"},
		{"git stash drop", "discard changes"},
		{"git clean -fdx", "delete files"},
		{"git push --force origin main", "rewrite history"},
		{"git push origin +main", "rewrite history"},
		{"psql -c 'DROP TABLE users'", "destroy data"},
		{"docker compose exec db psql -U me -c \"truncate table x\"", "destroy data"},
		{"echo 'drop table x;' | psql db", "destroy data"},
		{"rails db:drop", "destroy data"},
		{"bundle exec rake db:reset", "destroy data"},
		{"python manage.py flush --no-input", "destroy data"},
		{"npx prisma migrate reset --force", "destroy data"},
		{"mongosh app --eval 'db.dropDatabase()'", "destroy data"},
		{"aws s3 rm s3://b --recursive", "destroy data"},
		{"aws s3 rb s3://b --force", "destroy data"},
		{"gcloud sql instances delete x", "destroy infrastructure"},
		{"gh repo delete x/y --yes", "destroy infrastructure"},
		{"terraform -chdir=x destroy -auto-approve", "destroy infrastructure"},
		{"rm -rf 'a", ""}, // no shell's line
		{"ls; (rm -r a", ""},
		{strings.Repeat("echo a\n", 20000) + "rm -rf a", ""}, // beyond what is read

		{"", ""},
		{"go test ./...", ""},
		{"echo 'rm -rf /'", ""},
		{"echo rm -rf / > x.sh", ""},
		{"printf 'git reset --hard'", ""},
		{"git commit -m 'rm -rf the old code'", ""},
		{"git commit -m \"reset --hard", ""},
		{"grep -rn 'drop table' .", ""},
		{"cat <<'EOF' > clean.sh\nrm -rf build\nEOF", ""},
		{"# rm -rf a", ""},
		{"false && rm -rf a", ""},
		{"rm -f a.log", ""},
		{"git push", ""},
		{"git push --force-with-lease", ""},
		{"git stash", ""},
		{"git switch main", ""},
		{"docker compose down", ""},
		{"rm -rf --help", ""},
		{"aws s3 rm s3://b/x", ""},
		{"rails db:migrate", ""},
		{"python manage.py test", ""},
		{"\x00\xff'\"`$((", ""},
	} {
		t.Run(c.line[:min(len(c.line), 60)], func(t *testing.T) {
			got, ok := Risky(c.line)
			if got.Kind != c.kind || ok != (c.kind != "") || len(got.Detail) > 120 {
				t.Errorf("got %+v, %v, want %q", got, ok, c.kind)
			}
		})
	}
}

// FuzzRisky holds the short way against the long one, and wants an answer to
// anything.
func FuzzRisky(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Add("find . -delete; 'git' \"push\" -f; r''m -rf a; TRUNCATE; (rm -rf")
	f.Fuzz(func(t *testing.T, line string) {
		got, ok := Risky(line)
		if ok != (got.Kind != "") || len(got.Detail) > 120 {
			t.Errorf("got %+v, %v", got, ok)
		}
		if strings.ContainsAny(line, "\\'\"$`*?[{~^!%") {
			return // a word may be written so that only the shell sees it
		}
		found, err := Parse(line)
		if err != nil {
			return
		}
		for _, c := range found {
			if risk, long := c.Risk(); long && !ok {
				t.Errorf("got no risk of %q, want %+v", line, risk)
			}
		}
	})
}

func BenchmarkRisky(b *testing.B) {
	for name, line := range map[string]string{
		"plain":  "cd /home/ann/shop && go test ./... 2>&1 | tail -20",
		"parsed": "cd /home/ann/shop && git push origin main && bash -c 'rm -f a'",
		"long":   "cat > x.go <<'EOF'\n" + strings.Repeat("// the branch was reset by rm\n", 1000) + "EOF\n",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Risky(line)
			}
		})
	}
}
