package shell

import (
	"strings"
	"testing"
)

func TestRisk(t *testing.T) {
	cases := map[string][]string{
		"delete files": {"rm -r a", "rm -rf /", "rm -fr a", "rm --recursive a", "sudo rm -Rf a", "ls | xargs rm -rf", "find . -name x -delete", `find . -exec rm {} \;`, "cd a && rm -rf b", "bash -c 'rm -rf a'",
			"git clean -f", "git clean -fdx", "git -C x clean --force", "shred a", "rsync -a --delete a/ b/", "fd x -x rm", "$(rm -rf a)", "trap 'rm -rf t' EXIT", "bash <<'EOF'\nrm -rf a\nEOF", "echo 'rm -rf a' | sh", "eval 'rm -r a'", "f() { rm -r a; }; f",
			`find . -exec sh -c 'rm -rf {}' \;`, "command rm -rf a", "nohup rm -rf a &"},
		"discard changes": {"git reset --hard", "git -C x reset --hard HEAD~1", "git checkout -- .", "git checkout .", "git checkout -f main", "git restore .", "git restore a.go", "git restore --staged --worktree a", "git stash drop", "git stash clear",
			"git switch --discard-changes main", "git worktree remove --force x"},
		"rewrite history": {"git push --force", "git push -f origin main", "git push origin +main", "git push origin :old", "git push --delete origin x", "git branch -D x", "git branch -d --force x", "git push --force --force-with-lease", "git filter-branch x", "git reflog expire --all"},
		"destroy data": {"psql -c 'drop table x'", `psql -h h -c "DROP DATABASE x;"`, "mysql -e 'truncate table x'", "mysql -e'delete from x'", `sqlite3 a.db "delete from x;"`, "sqlite3 a.db 'select 1; drop table if exists x'", "psql db <<EOF\nselect 1;\nDROP TABLE x;\nEOF",
			"echo 'drop table x' | psql", "docker compose exec db psql -U me -c 'drop schema public cascade'", "psql --command='delete from x'", "docker system prune -af", "docker volume rm x", "docker compose down -v", "docker-compose down --volumes", "dropdb x", "redis-cli FLUSHALL",
			"mysql <<< 'drop table x'", `psql -tAc "drop table x"`},
		"overwrite device":       {"dd if=x of=/dev/sda", "mkfs.ext4 /dev/sda1", "mkfs -t ext4 /dev/sda1", "wipefs -a /dev/sda"},
		"change permissions":     {"chmod -R 777 .", "chown -R me:me .", "sudo chgrp --recursive x ."},
		"destroy infrastructure": {"terraform destroy", "terraform -chdir=x apply -destroy", "tofu destroy", "kubectl delete pod x", "kubectl -n a delete -f x", "helm uninstall x"},
		"": {`echo "rm -rf /"`, `git commit -m "rm -rf"`, "rm a", "rm -f a", "grep -r 'rm -rf' .", "# rm -rf a", "cat <<EOF\nrm -rf a\nEOF", "git reset", "git reset --soft HEAD~1", "git clean -n", "git clean -nfd", "git push", "git push -u origin main",
			"git push --force-with-lease", "git push --follow-tags", "git checkout main", "git checkout -b x", "git restore --staged .", "git branch -d x", "git stash", "git stash pop", "psql -c 'select 1'", "psql -c 'delete from x where a=1'", `psql -c "select 'drop table x'"`,
			"psql -c '-- drop table x\nselect 1'", "psql -c 'explain delete from x'", "echo 'drop table x'", "grep 'drop table' a.sql", "find . -name rm", "find . -exec grep rm {} +", "dd if=a of=b", "dd if=/dev/zero of=/dev/null", "chmod +x a", "chown me a",
			"terraform plan", "terraform destroy -help", "kubectl get pods", "kubectl delete pod x --dry-run=client", "docker ps", "docker compose down", "man rm", "rm --help", "f() { rm -r a; }", "alias x='rm -rf'", "which shred", "rmdir a", "cp -r a b", "grep -rf pat a"},
	}
	for kind, lines := range cases {
		for _, line := range lines {
			t.Run(kind+" "+line, func(t *testing.T) {
				found, err := Parse(line)
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				for _, c := range found {
					if risk, ok := c.Risk(); ok {
						got = risk.Kind
						if risk.Detail == "" || len(risk.Detail) > 120 {
							t.Errorf("got detail %q, want 1 to 120 bytes", risk.Detail)
						}
					}
				}
				if got != kind {
					t.Errorf("got %q, want %q", got, kind)
				}
			})
		}
	}
}

func TestRiskDetail(t *testing.T) {
	cases := map[string]struct{ line, want string }{
		"the command": {"cd x && sudo rm -rf a", "rm -rf a"},
		"the SQL":     {"psql -c 'select 1; drop table users cascade'", "drop table users cascade"},
		"a long one":  {"rm -rf " + strings.Repeat("é", 100), "rm -rf " + strings.Repeat("é", 55) + "…"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := Parse(c.line)
			if err != nil {
				t.Fatal(err)
			}
			if risk, _ := found[len(found)-1].Risk(); risk.Detail != c.want {
				t.Errorf("got %q, want %q", risk.Detail, c.want)
			}
		})
	}
}
