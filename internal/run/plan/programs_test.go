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
	`tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; echo "${{ query }}" >"$tmp/x"`,
	`trap 'echo failed at line $LINENO' ERR; echo "${{ query }}"`,
	`trap - INT; trap '' HUP; echo "${{ query }}"`,
	`cleanup() { rm -rf "$tmp"; }; trap cleanup EXIT INT TERM; tmp=$(mktemp); echo "${{ query }}" >"$tmp"`,
	`cleanup() { kill "$pid"; }; trap 'rc=$?; cleanup; exit "$rc"' EXIT; ./server "${{ query }}" & pid=$!; wait "$pid"`,
	`source venv/bin/activate; python train.py --lr "${{ query }}"`,
	`. "$HOME/.nvm/nvm.sh"; nvm use 20; npm run build -- "${{ query }}"`,
	`. ./env.sh; ./deploy "${{ query }}"`,
	`source "$VENV/bin/activate" && pytest -k "${{ query }}"`,
	`eval "$(ssh-agent -s)"; git clone "${{ query }}" there`,
	`eval "$(brew shellenv)" && ./x "${{ query }}"`,
	`eval $(minikube docker-env) && docker build -t "app:${{ query }}" .`,
	`for f in *.txt; do [ -s "$f" ] && cat "$f"; done; echo "${{ query }}"`,
	`n=$(wc -l <f); echo "$((n + 1)) lines for ${{ query }}"`,
	`i=0; while [ "$i" -lt 3 ]; do i=$((i + 1)); curl -fsS "https://x/${{ query }}" && break; sleep 1; done`,
	`for ((i = 0; i < 3; i++)); do ./try "${{ query }}" && break; done`,
	`count=0; while read -r l; do count=$((count + 1)); done <list; echo "$count of ${{ query }}"`,
	`declare -A seen; while read -r k; do seen[x]=1; done <list; echo "${{ query }}"`,
	`declare -a list=(a b); list+=("${{ query }}"); ./x "${list[@]}"`,
	`args=(--name "${{ query }}" --size 3); ./tool "${args[@]}"`,
	`local_v="${{ query }}"; readonly v2="${{ query }}"; export V3="${{ query }}"; ./x`,
	`f() { local name=$1 size=${2:-3}; printf '%s %s\n' "$name" "$size"; }; f "${{ query }}" 4`,
	`f() { local -r name=$1; echo "$name"; }; f "${{ query }}"`,
	`for v in HOME LANG; do [ -n "${!v}" ] || exit 1; done; echo "${{ query }}"`,
	`declare -A m=([a]=1 [b]=2); for k in "${!m[@]}"; do echo "$k ${m[$k]}"; done; echo "${{ query }}"`,
	`[[ "${{ query }}" =~ ^v([0-9]+) ]] && echo "major ${BASH_REMATCH[1]}"`,
	`[[ "${{ query }}" == v* ]] && echo yes`,
	`command -v docker >/dev/null || exit 1; docker pull "${{ query }}"`,
	`command -v "${{ query }}" >/dev/null || echo missing`,
	`type "${{ query }}" >/dev/null 2>&1; which "${{ query }}" || true`,
	`command ls -l -- "${{ query }}"`,
	`exec ./server --port 80 --name "${{ query }}"`,
	`exec 2>&1; set -x; ./x "${{ query }}"`,
	`PS4='+ $LINENO: '; set -x; ./x "${{ query }}"`,
	`sh -c 'echo "$1" && ls "$2"' sh "${{ query }}" "$dir"`,
	`bash -c 'set -e; cd "$1"; make' bash "${{ query }}"`,
	`docker run --rm app sh -c 'echo "$1"' sh "${{ query }}"`,
	`ssh host 'uptime'; echo "${{ query }}"`,
	`ssh host cat /etc/hostname | grep -F -- "${{ query }}"`,
	`kubectl exec pod -- sh -c 'ls /tmp'; echo "${{ query }}"`,
	`xargs -n 1 echo < list; echo "${{ query }}"`,
	`printf '%s\n' "${{ query }}" | xargs -I{} echo "got {}"`,
	`git diff --name-only "${{ query }}" | xargs gofmt -l`,
	`git ls-files | xargs grep -l -- "${{ query }}"`,
	`find . -name "${{ query }}" -print0 | xargs -0 rm -f --`,
	`find . -name "${{ query }}" -exec rm -f {} +`,
	`echo "${{ query }}" | awk '{ print $1 }'`,
	`echo "${{ query }}" | awk -F: '/a|b/ { print $2 } $1 ~ "x|y" || $2 > 3 { n++ } END { print n }'`,
	`awk -v n="${{ query }}" '$1 == n { print $2 }' table | sort | uniq -c`,
	`awk -v v="${{ query }}" '{ sub(/version = .*/, "version = " v); print }' f >g`,
	`awk 'BEGIN { while ((getline line < "f") > 0) print line }'; echo "${{ query }}"`,
	`awk '{ print | "sort" }' f; echo "${{ query }}"`,
	`echo "${{ query }}" | awk -F '|' '{ print $2 }'`,
	`echo "${{ query }}" | awk -F'|' -v OFS='|' '{ print $2, $1 }'`,
	`echo "${{ query }}" | awk -F "|" -v a=@ "{ print a }"`,
	`echo "${{ query }}" | awk -F@ '/@/ { print $2 }'`,
	`awk -v v="${{ query }}" 'BEGIN { FS = "|" } $2 == v' table`,
	`version="${{ query }}"; count=$(grep -c version f); echo "$((count + 1)) $version"`,
	`echo "${{ query }}" | sed -n 's/^.*name="\([^"]*\)".*$/\1/p'`,
	`echo "${{ query }}" | sed 's/ *$//; s/the end/e/g'`,
	`echo "${{ query }}" | sed 's/a/b/; s/^[^=]*=//'`,
	`echo "${{ query }}" | sed -e 's|/x/|/y/|g' -e '/^$/d'`,
	`echo "${{ query }}" | sed -n 's/^name: //p'`,
	`echo "${{ query }}" | sed -E 's/(feature|release)/x/g'`,
	`echo "${{ query }}" | sed 's/^/  /' | tee log`,
	`echo "${{ query }}" | sed '/start/,/end/d'`,
	`echo "${{ query }}" | sed -n '/^version/{s/.*=//;p;q}'`,
	`echo "${{ query }}" | tr -d '\n' | sed 's/e$/x/;s/ *$//'`,
	`sed -i 's/debug/release/' config; echo "${{ query }}" >>config`,
	`sed '1e date' f; echo "${{ query }}"`,
	`make build; echo "${{ query }}"`,
	`make -j4 test && echo "${{ query }} ok"`,
	`coproc ./server; echo "${{ query }}"`,
	`mapfile -t lines < <(git log --oneline -n 5); printf '%s\n' "${lines[@]}" "${{ query }}"`,
	`read -r first rest <<< "${{ query }}"; echo "$first"`,
	`IFS=, read -ra parts <<< "${{ query }}"; printf '%s\n' "${parts[@]}"`,
	`while getopts ab: o; do case $o in a) a=1;; b) b=$OPTARG;; esac; done; echo "${{ query }}"`,
	`set -- a b "${{ query }}"; shift; echo "$1"`,
	`printf -v line '%-20s|' "${{ query }}"; echo "$line"`,
	`python3 -c 'import sys; print(sys.argv[1])' "${{ query }}"`,
	"python3 - <<'END'\nprint(1)\nEND\necho ${{ query }}",
	`X="${{ query }}" python3 -c 'import os; print(os.environ["X"])'`,
	`$SUDO apt-get update; echo "${{ query }}"`,
	`run() { echo "+ $*"; "$@"; }; run make; echo "${{ query }}"`,
	`case "${{ query }}" in a) make a;; b) make b;; *) exit 1;; esac`,
	`if ! grep -q -- "${{ query }}" list; then echo "${{ query }}" >>list; fi`,
	`curl -fsSL https://x | sh -s -- --version "${{ query }}"`,
	`tar -xzf "x-${{ query }}.tar.gz" -C out && ls out`,
	`test -z "${{ query }}" || echo "got ${{ query }}"; [ -n "${{ query }}" ] && [ "${{ query }}" = x ]`,
	`alias ll='ls -l'; echo "${{ query }}"`,
	`unset X; unset -f g; hash -r; echo "${{ query }}"`,
	`time ./bench "${{ query }}"`,
	`env FOO="${{ query }}" ./tool; nohup ./server "${{ query }}" >log 2>&1 &`,
	`echo "$(date) ${{ query }}" >>log; ( cd sub && ./x "${{ query }}" )`,
	`{ echo a; echo "${{ query }}"; } | sort -u > f`,
	`if [ "$(id -u)" -ne 0 ]; then sudo -n true; fi; echo "${{ query }}"`,
	`seq 1 3 | while read -r i; do echo "$((i * 2))"; done; echo "${{ query }}"`,
	`date +%s; sleep $((RANDOM % 3)); echo "${{ query }}"`,
	`result=$(./x "${{ query }}") || exit 1; echo "${result:0:10}"`,
	`echo "a[b] ${{ query }}" | grep 'x[0-9]'`,
	"cat <<END | tee out\na ${{ query }}\nEND\n",
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

	// What the shell, awk or sed reads again in another way.
	`declare -i n; n="${{ query }}"`,
	`typeset -i n; n="${{ query }}"`,
	`x="${{ query }}"; declare -i y=x`,
	`declare -a x="(${{ query }})"`,
	`x="${{ query }}"; eval '$x'`,
	`x="${{ query }}"; eval "\$x"`,
	`y="${{ query }}" eval 'eval "$y"'`,
	`x="${{ query }}"; trap 'eval "$x"' EXIT`,
	`x="${{ query }}"; trap '$x' DEBUG; :`,
	`x="${{ query }}"; y=x; eval "${!y}"`,
	`f() { for a; do $a; done; }; f "${{ query }}"`,
	`f() { local -n r=$1; eval "$r"; }; x="${{ query }}"; f x`,
	`f() { eval "${BASH_ARGV[0]}"; }; shopt -s extdebug; f "${{ query }}"`,
	`: "${{ query }}"; eval "$_"`,
	`true "${{ query }}"; bash -c "$_"`,
	`[[ "${{ query }}" =~ (.*) ]]; eval "${BASH_REMATCH[1]}"`,
	`coproc cat; echo "${{ query }}" >&${COPROC[1]}; read -r x <&${COPROC[0]}; eval "$x"`,
	`y="${{ query }}"; . /dev/stdin <<< 'eval "$y"'`,
	`y="${{ query }}"; source <(echo 'eval "$y"')`,
	`xargs -a <(echo "${{ query }}") sh -c`,
	`echo "${{ query }}" | awk '{print | "sh"}'`,
	`echo "${{ query }}" | sed 's/^//e'`,
	`echo "${{ query }}" | sed -n '1e'`,
	`command "${{ query }}"`,
	`hash -p "${{ query }}" foo; foo`,
	`command -p "${{ query }}"`,
	`command -- "${{ query }}"`,
	`x="${{ query }}"; command "$x"`,
	`command command "${{ query }}"`,
	`builtin hash -p "${{ query }}" foo; foo`,
	`declare -n r=x; x="${{ query }}"; eval "$r"`,
	`declare "-i" n; n="${{ query }}"`,
	`o=-i; declare $o n; n="${{ query }}"`,
	`builtin declare -i n; n="${{ query }}"`,
	`command typeset -i n; n="${{ query }}"`,
	`\declare -i n; n="${{ query }}"`,
	`declare -xi n; n="${{ query }}"`,
	`local -i n; n="${{ query }}"`,
	`declare -a x="${{ query }}"`,
	`declare -A x="${{ query }}"`,
	`x=(); declare x="${{ query }}"`,
	`readonly -a x="${{ query }}"`,
	`f() { local x=(); local x="$1"; }; f "${{ query }}"`,
	`RANDOM="${{ query }}"`,
	`printf -v RANDOM %s "${{ query }}"`,
	`for OPTIND in "${{ query }}"; do :; done`,
	`for PS4 in "${{ query }}"; do :; done`,
	`read -r PATH <<< "${{ query }}"`,
	`: ${PATH:="${{ query }}"}`,
	`y=x; x="${{ query }}"; echo $((y))`,
	`y=x; x="${{ query }}"; echo $(( $y + 1 ))`,
	`for y in x; do ((y)); done; x="${{ query }}"`,
	`f() { echo $(($1)); }; x="${{ query }}"; f x`,
	`x="${{ query }}"; test -v 'a[x]'`,
	`x="${{ query }}"; test -v 'a[$x]'`,
	`x="${{ query }}"; [[ -v 'a[$x]' ]]`,
	`x="${{ query }}"; printf -v 'a[$x]' b`,
	`x="${{ query }}"; read 'a[$x]' <<< b`,
	`x="${{ query }}"; declare 'a[$x]=1'`,
	`x="${{ query }}"; exec {a[x]}>/dev/null`,
	`x="${{ query }}"; [[ -v a[x] ]]`,
	`builtin read -r x <<< "${{ query }}"; echo $((x))`,
	`"read" -r x <<< "${{ query }}"; echo $((x))`,
	`read -r "x" <<< "${{ query }}"; echo $((x))`,
	`printf -vx %s "${{ query }}"; echo $((x))`,
	`[[ "${{ query }}" =~ (.*) ]]; echo $(( BASH_REMATCH[1] ))`,
	`[[ "${{ query }}" =~ (.*) ]]; bash -c "$BASH_REMATCH"`,
	`: "${{ query }}"; $_`,
	`: "${{ query }}"; n=$_; echo $((n))`,
	`coproc cat; echo "${{ query }}" >&${COPROC[1]}; read -r x <&${COPROC[0]}; ((x))`,
	`coproc P { cat; }; echo "${{ query }}" >&${P[1]}; read -r -u ${P[0]} x; ((x))`,
	`f() { while [ $# -gt 0 ]; do $1; shift; done; }; f "${{ query }}"`,
	`f() { for a in "$@"; do $a; done; }; f "${{ query }}"`,
	`"f" "${{ query }}"; f() { $1; }`,
	`f() { $1; }; \f "${{ query }}"`,
	`f() { $1; }; builtin set -- "${{ query }}"; f "$1"`,
	`f() { while getopts a: o; do echo $((OPTARG)); done; }; f -a "${{ query }}"`,
	`f() { select a; do $a; done; }; f "${{ query }}"`,
	`trap "$x" EXIT; x="${{ query }}"`,
	`x="${{ query }}"; trap "echo \$(eval \"\$x\")" EXIT`,
	`x="${{ query }}"; trap '((x))' EXIT`,
	`x="${{ query }}"; trap 'y=$x; f' EXIT; f() { ((y)); }`,
	`x="${{ query }}"; trap 'f "$x"' EXIT; f() { $1; }`,
	`x="${{ query }}"; trap 'bash -c "$x"' EXIT`,
	`export X="${{ query }}"; trap 'make' EXIT`,
	`shopt -s expand_aliases; x="${{ query }}"; alias e='$x'`,
	`x="${{ query }}"; compgen -C 'eval "$x"'`,
	`x="${{ query }}"; complete -C 'eval "$x"' y`,
	`f() { $2; }; mapfile -C f -c 1 a <<< "${{ query }}"`,
	`mapfile -t -C 'eval' -c 1 a <<< "${{ query }}"`,
	`BASH_CMDS[foo]=/bin/bash; foo -c "${{ query }}"`,
	`BASH_ALIASES[foo]=eval; x="${{ query }}"`,
	`PS4='$(eval "$x")'; x="${{ query }}"; set -x; :`,
	`p='$(eval "$x")'; x="${{ query }}"; echo "${p@P}"`,
	`y="${{ query }}"; . /proc/self/fd/0 <<< 'eval "$y"'`,
	`y="${{ query }}"; source ../../../../../../dev/stdin <<< 'eval "$y"'`,
	`y="${{ query }}"; d=/dev; . "$d/stdin" <<< 'eval "$y"'`,
	`y="${{ query }}"; . "$f"`,
	`y="${{ query }}"; . //dev/stdin <<< 'eval "$y"'`,
	`y="${{ query }}"; builtin source <(echo 'eval "$y"')`,
	`y="${{ query }}"; eval "$(echo 'eval "$y"')"`,
	`y="${{ query }}"; eval eval '$y'`,
	`builtin eval "${{ query }}"`,
	`command eval "$x"; x="${{ query }}"`,
	`\eval '$x'; x="${{ query }}"`,
	`bash -c "$x"; y="${{ query }}"`,
	`bash -c "$(cat f)"; y="${{ query }}"`,
	`bash -c "eval \"\$y\""; export y="${{ query }}"`,
	`export y="${{ query }}"; env -S 'bash -c "eval \$y"'`,
	`export y="${{ query }}"; su me -c 'eval "$y"'`,
	`export y="${{ query }}"; flock f -c 'eval "$y"'`,
	`export y="${{ query }}"; script -qc 'eval "$y"' /dev/null`,
	"export y=\"${{ query }}\"; { bash; } <<'END'\neval \"$y\"\nEND\n",
	`export -f f; f() { $1; }; bash -c 'f "$1"' sh "${{ query }}"`,
	`xargs -a <(echo "${{ query }}") env`,
	`x="${{ query }}"; xargs -a <(echo "$x") bash -c`,
	`echo "${{ query }}" | xargs find .`,
	`echo "${{ query }}" | xargs git log`,
	`echo "${{ query }}" | xargs tar -cf x.tar`,
	`awk '{system($0)}' <<< "${{ query }}"`,
	`awk -v x="${{ query }}" 'BEGIN { system(x) }'`,
	`awk -v x="${{ query }}" 'BEGIN { x | getline }'`,
	`X="${{ query }}" awk 'BEGIN { system(ENVIRON["X"]) }'`,
	`export X="${{ query }}"; gawk 'BEGIN { print ENVIRON["X"] | "sh" }'`,
	`echo "${{ query }}" | awk '{print|"sh"}'`,
	`echo "${{ query }}" | awk '/a|b/ { print | "sh" }'`,
	`echo "${{ query }}" | awk '{ cmd = $0; cmd | getline x; print x }'`,
	`echo "${{ query }}" | mawk '{ system ($1) }'`,
	`echo "${{ query }}" | awk "{ print | \"sh\" }"`,
	`p='{system($0)}'; echo "${{ query }}" | awk "$p"`,
	`echo "${{ query }}" | awk -e '{system($0)}'`,
	`sed '1e' <<< "${{ query }}"`,
	`echo "${{ query }}" | sed -e 's/x/y/' -e 's/a/b/ge'`,
	`echo "${{ query }}" | sed 's|^|echo |e'`,
	`echo "${{ query }}" | sed -E 's,(.*),\1,e;p'`,
	`echo "${{ query }}" | sed '/a/e'`,
	`echo "${{ query }}" | sed '$!e'`,
	`echo "${{ query }}" | sed -n '1{e;p}'`,
	`echo "${{ query }}" | sed '1~2 e'`,
	`echo "${{ query }}" | sed sxaxbxe`,
	`p=1e; echo "${{ query }}" | sed "$p"`,
	`sed 1e <(echo "${{ query }}")`,
	`echo "${{ query }}" | gsed --expression=1e`,
	`x="${{ query }}"; let "y=x"`,
	`x="${{ query }}"; y=x+1; echo $((y))`,
	`x="${{ query }}"; y="x "; echo $((y))`,
	`x="${{ query }}"; y=x; z=$y; echo $((z))`,
	`x="${{ query }}"; y=${q:-x}; echo $((y))`,
	`x="${{ query }}"; a=(x); echo $((a[0]))`,
	`x="${{ query }}"; n='b[x]'; declare "$n=1"`,
	`x="${{ query }}"; n='a[x]'; printf -v "$n" 1`,
	`x="${{ query }}"; n='a[x]'; echo "${!n}"`,
	`x="${{ query }}"; n='a[x]'; [[ -v $n ]]`,
	`x="${{ query }}"; n='a[x]'; test -v "$n"`,
	`x="${{ query }}"; n='a[x]'; read "$n" <<< 1`,
	`x="${{ query }}"; f() { : "${!1}"; }; f 'a[x]'`,
	`x="${{ query }}"; printf -v PS4 %s '$(eval "$x")'; set -x`,
	`x="${{ query }}"; read -r PS4 <<< '$(eval "$x")'; set -x`,
	`x="${{ query }}"; for PS4 in '$(eval "$x")'; do set -x; done`,
	`x="${{ query }}"; : ${PS4:=$(echo '$(eval "$x")')}; set -x`,
	`export x="${{ query }}"; PROMPT_COMMAND='eval "$x"' bash -i <<< ':'`,
	`export x="${{ query }}"; BASH_ENV='$(eval "$x")' bash -c :`,
	`echo "${{ query }}" | BASH_ENV=/dev/stdin bash -c :`,
	`command_not_found_handle() { $2; }; nosuch "${{ query }}"`,
	`echo "${{ query }}" | bash +e`,
	`echo "${{ query }}" | bash --rcfile /dev/stdin -i -c :`,
	`echo "${{ query }}" | xargs timeout 5`,
	`echo "${{ query }}" | xargs nice -n 5`,
	`echo "${{ query }}" | sed 's .* & e'`,
	`echo "${{ query }}" | sed 's/^//e # comment'`,
	`echo "${{ query }}" | sed 's/$/ /gew /dev/null'`,
	`f() { x=$2; $x; }; trap 'f a "$_"' EXIT; : "${{ query }}"`,
	`f() { while read -r l; do $l; done; }; coproc f; echo "${{ query }}" >&"${COPROC[1]}"`,
	`bash -c "$(<f)" sh "${{ query }}"`,
	`bash -c 'for a; do $a; done' sh "${{ query }}"`,
	`bash -c '[[ $1 =~ .* ]]; $BASH_REMATCH' sh "${{ query }}"`,
	`bash -c 'true "$1"; $_' sh "${{ query }}"`,
	`bash -c 'declare -i n; n=$1' sh "${{ query }}"`,
	`bash -c 'trap "$1" EXIT' sh "${{ query }}"`,
	`bash -c 'command "$1"' sh "${{ query }}"`,
	`bash -c 'echo "$1" | sed 1e' sh "${{ query }}"`,
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

// TestScriptMessages: what is said of each script, and how it is written, stands in
// testdata/scripts.txt.
func TestScriptMessages(t *testing.T) {
	var lines []string
	for _, command := range slices.Concat(honest, hostile, odd) {
		command = strings.ReplaceAll(command, `\n`, "\n")
		text, holes, err := parsedScript(command)
		said := filled(text, holes, func(i int) string { return fmt.Sprint("V", i) })
		for i, h := range holes {
			if h.lead {
				said += fmt.Sprintf(" (V%d is no option)", i)
			}
			if err == nil {
				err = h.err
			}
		}
		if err != nil {
			said = err.Error()
		}
		lines = append(lines, fmt.Sprintf("%q -> %q", command, said))
	}
	Golden(t, "scripts.txt", lines)
}

// odd are scripts with a value at odd places.
var odd = strings.Split(`timeout -Z 5 ${{ query }}
timeout -Z ${{ query }} ls
timeout --foreground ${{ query }} ls
timeout 5 ls ${{ query }}
nice -n ${{ query }} ls
nice -Z ls ${{ query }}
nice -Z sh ${{ query }}
env A=${{ query }} ls
env PATH=${{ query }} ls
env ${{ query }}=1 ls
env -u ${{ query }} ls
env +x ${{ query }}
command -v ${{ query }}
command -p ${{ query }}
sudo -u me ls -- ${{ query }}
xargs -a ${{ query }} sh
xargs -a <(echo ${{ query }}) sh -c
xargs -a <(echo ${{ query }}) ls
echo ${{ query }} | xargs env
echo ${{ query }} | xargs env A=1 ls
echo ${{ query }} | xargs find
echo ${{ query }} | xargs git add
echo ${{ query }} | xargs git add --
echo ${{ query }} | xargs printf
echo ${{ query }} | xargs -I{} perl x.pl {}
python3 -Wd ${{ query }}
python3 -W d ${{ query }}
python3 -W d x.py ${{ query }}
python3 -uZ ${{ query }} x.py
python3 -m json.tool ${{ query }}
python3 -m pdb ${{ query }}
python3 -m ${{ query }}
python3 -c pass ${{ query }}
python3 -- ${{ query }}
python3 $x ${{ query }}
python3 $x -- ${{ query }}
python3 - <<< ${{ query }}
python3 x.py - <<< ${{ query }}
python3 x.py <<< ${{ query }}
perl -i.bak -pe 's/a/b/' ${{ query }}
perl -i.bak -e 's/a/b/' ${{ query }}
perl -0ne 1 ${{ query }}
perl -Mstrict x.pl ${{ query }}
perl -I${{ query }} x.pl
jq --arg a ${{ query }} .
jq --arg ${{ query }} 1 .
jq --arg a 1 ${{ query }}
jq . ${{ query }}
jq -r . ${{ query }}
sed -i.bak s/a/b/ ${{ query }}
sed -n ${{ query }} f
sed -f ${{ query }} f
awk -F, -v a=${{ query }} 1
awk -F '|' '{ print $1 }' ${{ query }}
awk '{ print | "sh" }' ${{ query }}
awk '{ system("ls") }' ${{ query }}
awk '/a|b/ { print }' ${{ query }}
awk -f - x <<< ${{ query }}
awk -f/dev/stdin x <<< ${{ query }}
curl --config=/dev/stdin x <<< ${{ query }}
curl -K - x <<< ${{ query }}
sed s/a/b/e ${{ query }}
sed '/x/e' ${{ query }}
sed 's/a/b/; s/c/d/w out' ${{ query }}
bash --rcfile x <<< ${{ query }}
bash +x ${{ query }}
bash -x -- ${{ query }}
bash -o ${{ query }} x
bash -s ${{ query }} <<< ls
bash x.sh <<< ${{ query }}
$S ${{ query }}
$S <<< ${{ query }}
/bin/ba?h ${{ query }}
$d/tool ${{ query }}
~/tool ${{ query }}
/dev/fd/3 ${{ query }}
/proc/self/exe ${{ query }}
$d/stdin ${{ query }}
docker exec c $S -c ${{ query }}
docker exec c $S x ${{ query }}
docker exec c sh -c ${{ query }}
find . -exec $S ${{ query }} \;
find . -name ${{ query }}
grep sh -c ${{ query }}
git config user.name ${{ query }}
git config alias.x ${{ query }}
git -c user.name=${{ query }} st
git bisect run ${{ query }}
git show ${{ query }} -- f
ls -- ${{ query }}
ls a${{ query }}
echo ${{ query }}
test -v ${{ query }}
printf -v ${{ query }} x
printf -v a[${{ query }}] x
printf '%s' a[${{ query }}]
[ -v x ] && echo ${{ query }}
read -a ${{ query }}
read x <<< ${{ query }}; eval $x
read x <<< ${{ query }}; $x
read x <<< ${{ query }}; echo $((x))
read -r a[0] <<< ${{ query }}
read $n <<< ${{ query }}
mapfile -C ls a <<< ${{ query }}
mapfile a <<< ${{ query }}; sh -c "${a[0]}"
x=${{ query }}; declare -n y=x
x=${{ query }}; declare $o y
x=${{ query }}; export y; sh -c 'echo $x'
x=${{ query }}; export x; sh -c 'echo $((x))'
export -f f; x=${{ query }}; f() { echo $x; }
set -a; x=${{ query }}; sh -c 'eval $x'
set -o allexport; x=${{ query }}; make
x=${{ query }}; make
x=${{ query }}; : ${y:=$x}; eval echo $y
: ${y:=${{ query }}}; $y
: ${a[0]:=${{ query }}}
x=${{ query }}; echo ${!x}
x=${{ query }}; echo ${!x@}
x=${{ query }}; echo ${#x}
x=${{ query }}; echo ${x@P}
x=${{ query }}; echo ${x:1:2}
x=${{ query }}; echo ${y:x:2}
x=${{ query }}; echo ${y:1:x}
x=${{ query }}; echo ${y[x]}
x=${{ query }}; y[x]=1
x=${{ query }}; y=([x]=1)
x=${{ query }}; y=x; echo $((y))
x=${{ query }}; y=x; echo ${!y}
x=${{ query }}; for y in x; do echo $((y)); done
for x; do eval "$x"; done; f ${{ query }}
for x in ${{ query }}; do $x; done
select x in ${{ query }}; do echo $x; done
[[ ${{ query }} =~ a ]] && eval ${BASH_REMATCH[0]}
[[ a -nt ${{ query }} ]]
[[ ${{ query }} -gt 1 ]]
[[ -R ${{ query }} ]]
coproc c { cat; }; echo ${{ query }} >&${c[1]}; read y <&${c[0]}; eval "$y"
coproc sh; echo ${{ query }} >&${COPROC[1]}
cd ${{ query }}; sh -c "$PWD"
cd ${{ query }}; eval "$(pwd)"
cd ${{ query }}; readlink -f . | sh
cd ${{ query }}; d=$(realpath .); $d
f() { echo ${{ query }}; }; f | sh
f() { echo ${{ query }}; }; x=$(f); eval "$x"
f() { eval "$1"; }; f ${{ query }}
f() { cat | sh; }; echo ${{ query }} | f
f() { f; sh; }; echo ${{ query }} | f
command_not_found_handle() { sh -c "$1"; }; x=${{ query }}; $y
set -- ${{ query }}; sh -c "$1"
set -- ${{ query }}; getopts a: o; eval "$OPTARG"
exec 3<<< ${{ query }}; sh <&3
exec 3>&1; echo ${{ query }}
exec < <(echo ${{ query }}); sh
exec 3<&-; echo ${{ query }} | cat
exec > >(sh); echo ${{ query }}
echo ${{ query }} > >(sh)
echo ${{ query }} |& sh
echo ${{ query }} {a[1]}>f
{ sh; } <<< ${{ query }}
while read l; do $l; done <<< ${{ query }}
trap "echo $x" EXIT; y=${{ query }}
trap 'echo $x' EXIT; x=${{ query }}
alias l="ls $x"; y=${{ query }}
alias l=sh; l ${{ query }}
hash -p /bin/sh l; l ${{ query }}
BASH_ALIASES[x]=y; echo ${{ query }}
PS4='$x'; x=${{ query }}
PS4='a'; x=${{ query }}
PATH=${{ query }}; ls
. $f; echo ${{ query }}
. ./f ${{ query }}
source /dev/stdin <<< ${{ query }}
eval "$(ssh-agent -s)"; echo ${{ query }}
eval "$(cat f)"; echo ${{ query }}
eval "$(ssh-agent $x)"; echo ${{ query }}
builtin eval ls; echo ${{ query }}
sh -c "ls $x" y ${{ query }}
sh -c 'ls "$1"' y ${{ query }}
sh -c 'eval "$1"' y ${{ query }}
sh <<E\nls $x\nE\ny=${{ query }}
sh <<'E'\nls $x\nE\nx=${{ query }}
sh <<< "ls $x"; y=${{ query }}
cat <<E\n${{ query }}\nE\n
cat <<"E"\n${{ query }}\nE\n
cat <<E${{ query }}\na\nE\n
cat <<E\n${x:-${{ query }}}\nE\n
echo "${x:-${{ query }}}" ${x:+"${{ query }}"}
echo \${{ query }} \\${{ query }}
echo $'a' $"${{ query }}" 'b'${{ query }}
echo $(echo ${{ query }}) "$(echo "${{ query }}")"
f() { :; }; ${{ query }}() { :; }
((x=${{ query }})); let y=${{ query }}
for ((i=0; i<${{ query }}; i++)); do :; done
case ${{ query }} in ${{ query }}) ;; esac
x[${{ query }}]=1
${{ query }}=1
echo (`, "\n")

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
