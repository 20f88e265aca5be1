package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestPrograms: a value is refused in every place that the tables name.
func TestPrograms(t *testing.T) {
	refused := 0
	refuse := func(command string) {
		_, holes, err := parsedScript(command)
		for _, h := range holes {
			if err == nil {
				err = h.err
			}
		}
		if err == nil {
			t.Errorf("%s: the value is not refused", command)
			return
		}
		refused++
	}
	for _, p := range programs {
		for _, name := range strings.Fields(p.names) {
			before := strings.Repeat("a ", p.from)
			for _, option := range strings.Fields(p.code) {
				refuse(fmt.Sprintf(`%s %s "a ${{ query }}"`, name, option))
				if strings.HasPrefix(option, "--") {
					refuse(fmt.Sprintf(`%s %s="a ${{ query }}"`, name, option))
				}
			}
			switch {
			case p.wraps && name == "command": // said by the plan
			case p.wraps:
				refuse(fmt.Sprintf(`%s %s${{ query }}`, name, before))
				refuse(fmt.Sprintf(`%s %ssh -c "a ${{ query }}"`, name, before))
			case p.to > 0:
				refuse(fmt.Sprintf(`%s %s"a ${{ query }}"`, name, before))
			}
			if p.environ {
				refuse(fmt.Sprintf(`X=${{ query }} %s`, name))
				refuse(fmt.Sprintf(`X=${{ query }}; export X; env A=1 %s`, name))
			}
			if p.stdin {
				refuse(fmt.Sprintf(`echo ${{ query }} | %s %s`, name, before))
				refuse(fmt.Sprintf("%s %s <<END\n${{ query }}\nEND\n", name, before))
				refuse(fmt.Sprintf("x=${{ query }}; %s %s <<< \"$x\"", name, before))
			}
			for word := range strings.FieldsSeq(p.after) {
				refuse(fmt.Sprintf(`%s x %s "a ${{ query }}"`, name, word))
			}
		}
	}
	for _, pattern := range codeVariables {
		name := strings.ReplaceAll(pattern, "*", "X")
		refuse(name + "=${{ query }} make")
		refuse("export " + name + "=${{ query }}")
		if _, err := Parse("p.yaml", []byte("query: q\nsteps:\n- {id: a, run: make, env: {"+name+": '${{ query }}'}}\n"), nil); err == nil {
			t.Errorf("%s under env is not refused", name)
		}
	}
	for _, name := range append(slices.Clone(dataVariables), "X", "LANG", "GIT_AUTHOR_NAME", "GITHUB_SHA", "VERSION") {
		if _, err := Parse("p.yaml", []byte("query: q\nsteps:\n- {id: a, run: 'echo $X', env: {"+name+": '${{ query }}', PATH: /bin}}\n"), nil); err != nil {
			t.Errorf("%s under env is refused: %v", name, err)
		}
	}
	t.Logf("%d places refused", refused)
}

// honest are ordinary scripts with a value, which are accepted.
var honest = []string{
	`git clone --depth 1 https://example.org/a.git && cd a && git checkout ${{ query }}`,
	`git commit -am "release ${{ query }}" && git tag -a -m "release" -- ${{ query }}`,
	`git log --oneline --grep=${{ query }} -- src | head -n 5`,
	`docker build -t "app:${{ query }}" . && docker push "app:${{ query }}"`,
	`docker run --rm -e NAME=${{ query }} app`,
	`kubectl set image deployment/app app="app:${{ query }}"`,
	`go build -ldflags "-X main.version=${{ query }}" ./...`,
	`go test ./... -run ${{ query }}`,
	`NODE_ENV=${{ query }} npm run build`,
	`npm config set //registry.npmjs.org/:_authToken ${{ query }}`,
	`pytest -k ${{ query }} tests`,
	`python3 tools/report.py --name ${{ query }} >report.txt`,
	`python3 -m pytest -k ${{ query }}`,
	`curl -fsSL -H "Authorization: Bearer ${{ query }}" -o out.json https://example.org/api`,
	`curl -sS -X POST -d "name=${{ query }}" https://example.org/api | jq -r .id`,
	`jq --arg v ${{ query }} '.version = $v' package.json >new.json && mv new.json package.json`,
	`for f in *.txt; do grep -q -- ${{ query }} "$f" && echo "$f"; done`,
	`mkdir -p out && printf '%s\n' ${{ query }} >out/name && cat out/name`,
	`if [ ${{ query }} = main ]; then echo yes; else echo no; fi`,
	`set -euo pipefail; v=${{ query }}; echo "version $v" | tee version.txt; make release`,
	`exec > >(tee run.log) 2>&1; echo ${{ query }}`,
	`log() { printf '%s %s\n' "$(date)" "$1"; }; log "begin ${{ query }}"`,
	`while IFS= read -r line; do echo "${{ query }} $line"; done <list.txt`,
	`rsync -a build/ "host:/srv/${{ query }}/" && tar -czf "build-${{ query }}.tar.gz" build`,
	`awk -v n=${{ query }} '$1 == n { print $2 }' table.txt | sort -u`,
	`psql -v name=${{ query }} -f report.sql db`,
	`sh ./deploy.sh ${{ query }}`,
	"cat >config.ini <<END\nname = ${{ query }}\nEND\n./tool --config config.ini",
	`export VERSION=${{ query }}; bash ./build.sh; sh -c 'echo "built $VERSION"'`,
	`printf '%s\n' ${{ query }} | while read -r f; do d=$(dirname "$f"); echo "$d"; done`,
	`printf %s ${{ query }} | { v=$(cat); printf %s "$v"; }`,
	`total=$(wc -l <list.txt); echo "$((total + 1)) of ${{ query }}"`,
	`aws s3 cp out.zip "s3://bucket/${{ query }}.zip" --region "$REGION"`,
}

func TestHonestScripts(t *testing.T) {
	accepted := 0
	for _, s := range honest {
		_, holes, err := parsedScript(s)
		for _, h := range holes {
			if err == nil {
				err = h.err
			}
		}
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		accepted++
	}
	t.Logf("%d of %d ordinary scripts are accepted", accepted, len(honest))
}

// hostile are scripts beside those of the places that run code which a value may be.
var hostile = []string{
	`"$SHELL" -c ${{ query }}`,
	`${0##*/} -c ${{ query }}`,
	`b{a,}sh -c ${{ query }}`,
	`~/sh -c ${{ query }}`,
	`nice $S -c ${{ query }}`,
	`timeout 5 "$S" -c ${{ query }}`,
	`sudo "$S" -c ${{ query }}`,
	`printf %s ${{ query }} | sudo -u a $S`,
	`printf %s ${{ query }} | while read -r l; do $S "$l"; done`,
	`v=${{ query }}; /dev/fd/9 -c "$v"`,
	`exec 4< <(printf %s ${{ query }}); source /dev/fd/4`,
	"exec 5<<END\n${{ query }}\nEND\nsh <&5",
	`{ sh; } < <(printf %s ${{ query }})`,
	`printf %s ${{ query }} > >(cat | sh)`,
	`f() { python3; }; f < <(echo ${{ query }})`,
	`f() { g; }; g() { xargs sh -c 'true' ; }; echo ${{ query }} | f`,
	`echo ${{ query }} | sed -f -`,
	`echo ${{ query }} | awk -f/dev/stdin x`,
	`echo ${{ query }} | jq --from-file /dev/stdin`,
	`python3 -m cProfile ${{ query }}`,
	`python3 -X dev -m pdb -c ${{ query }}`,
	`echo ${{ query }} | python3 -m code`,
	`git config set core.pager ${{ query }}`,
	`git config core.hooksPath=${{ query }}`,
	`declare -x X=${{ query }}; gmake all`,
	`X=${{ query }}; export X; sudo make`,
	`X=${{ query }} bash -ec 'eval $X'`,
	`export X=${{ query }}; env A=1 sh -c '. "$X"'`,
	`export X=${{ query }}; sh -c 'sh -c "$X"'`,
	`export HTTPS_PROXY=${{ query }}`,
	`printf %s ${{ query }} | bash -c "$(cat)"`,
	`printf %s ${{ query }} | { v=$(cat); eval "$v"; }`,
	`f() { v=$(head -n 1); eval "$v"; }; f <<< ${{ query }}`,
	`printf %s ${{ query }} | { source <(cat); }`,
	`printf %s ${{ query }} | { n=$(cat); echo $((n + 1)); }`,
	`X=${{ query }}; export X; bash <<< 'eval "$X"'`,
	`{ exec 3<&0; } <<< ${{ query }}; bash <&3`,
	`: ${x:=${{ query }}}; eval "$x"`,
	`bash -c "$S" sh ${{ query }}`,
	`sh -c "$(cat run.sh)" sh ${{ query }}`,
	`env GIT_SSH_COMMAND=${{ query }} git fetch`,
}

func TestHostileScripts(t *testing.T) {
	for _, s := range hostile {
		_, holes, err := parsedScript(s)
		refused := err != nil
		for _, h := range holes {
			refused = refused || h.err != nil
		}
		if !refused {
			t.Errorf("%s: the value is not refused", s)
		}
	}
	t.Logf("%d scripts", len(hostile))
}

// FuzzFlow: no script and no value makes the walk fail in another way than by an
// error, and what is not refused has each value in a reference.
func FuzzFlow(f *testing.F) {
	for _, s := range []string{`sh -c "${{ query }}"`, `x=${{ query }}; a[$x]=1`, `echo ${{ query }} | f() { eval $1; }`, "cat <<E\n${{ query }}\nE", `for i in ${{ query }}; do awk -F , $i; done`, `${x:${{ query }}}`, `(( ${{ query }} ))`, `[[ a -eq ${{ query }} ]]`, `env -S ${{ query }} >&2 <(${{ query }})`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, holes, err := parsedScript(s, "x", "<")
		if err != nil {
			return
		}
		for _, h := range holes {
			if h.err == nil && h.write == "" {
				t.Errorf("%q: a value has no place", s)
			}
		}
		_ = filled(text, holes, variable)
	})
}
