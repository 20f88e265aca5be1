package plan_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/run/plan"
)

// forms are the places of a shell step in which a value stands, each with what becomes
// of it: refused, or handed on as data, as docs/plans.md says.
var forms = []struct {
	name, step string
	value      string // beside the common ones
	data       string // "": refused; else what the step prints
}{
	// Code in an argument.
	{name: "sh -c", step: `run: sh -c "echo ${{ inputs.x }}"`},
	{name: "bash -c in double quotes", step: `run: bash -c "echo '${{ inputs.x }}'"`},
	{name: "bash -lc", step: `run: bash -lc "echo ${{ inputs.x }}"`},
	{name: "bash -ce", step: `run: bash -ce "echo ${{ inputs.x }}"`},
	{name: "bash -o pipefail -c", step: `run: bash -o pipefail -c "echo ${{ inputs.x }}"`},
	{name: "a path of a shell", step: `run: /bin/dash -c "echo ${{ inputs.x }}"`},
	{name: "env bash -c", step: `run: env A=1 bash -c "echo ${{ inputs.x }}"`},
	{name: "timeout bash -c", step: `run: timeout 5 bash -c "echo ${{ inputs.x }}"`},
	{name: "nice bash -c", step: `run: nice -n 1 bash -c "echo ${{ inputs.x }}"`},
	{name: "exec bash -c", step: `run: exec bash -c "echo ${{ inputs.x }}"`},
	{name: "command sh -c", step: `run: command sh -c "echo ${{ inputs.x }}"`},
	{name: "find -exec sh -c", step: `run: find . -maxdepth 0 -exec sh -c "echo ${{ inputs.x }}" \;`},
	{name: "find -exec value", step: `run: find . -maxdepth 0 -exec ${{ inputs.x }} \;`, value: "./tool"},
	{name: "xargs sh -c", step: `run: echo a | xargs sh -c "echo ${{ inputs.x }}"`},
	{name: "eval", step: `run: eval "echo ${{ inputs.x }}"`},
	{name: "eval of the value", step: `run: eval ${{ inputs.x }}`},
	{name: "trap", step: `run: trap "echo ${{ inputs.x }}" EXIT`},
	{name: "alias", step: "run: |\n    shopt -s expand_aliases\n    alias a=\"echo ${{ inputs.x }}\"\n    a"},
	{name: "source", step: `run: source ${{ inputs.x }}`, value: "./tool"},
	{name: "the dot", step: `run: . ${{ inputs.x }}`, value: "./tool"},
	{name: "source of a process", step: `run: source <(echo ${{ inputs.x }})`},
	{name: "a shell's script file", step: `run: bash ${{ inputs.x }}`, value: "./tool"},
	{name: "su -c", step: `run: su -c "echo ${{ inputs.x }}"`},
	{name: "ssh", step: `run: ssh host "echo ${{ inputs.x }}"`},
	{name: "ssh with options", step: `run: ssh -p 22 -v host echo ${{ inputs.x }}`},
	{name: "ssh ProxyCommand", step: `run: ssh -o ProxyCommand=${{ inputs.x }} host`},
	{name: "watch", step: `run: watch -n 1 "echo ${{ inputs.x }}"`},
	{name: "parallel", step: `run: parallel "echo ${{ inputs.x }}"`},
	{name: "awk", step: `run: awk "BEGIN { print \"${{ inputs.x }}\" }"`, value: `"; system("touch pwned"); x = "`},
	{name: "awk -F", step: `run: echo a | awk -F , "{ print \"${{ inputs.x }}\" }"`, value: `"; system("touch pwned"); x = "`},
	{name: "sed", step: `run: echo a | sed "s/a/${{ inputs.x }}/"`, value: "b/;e touch pwned\n#"},
	{name: "sed -e", step: `run: echo a | sed -n -e "s/a/${{ inputs.x }}/p"`, value: "b/;e touch pwned\n#"},
	{name: "perl -e", step: `run: perl -e "print '${{ inputs.x }}'"`, value: `'; system("touch pwned"); '`},
	{name: "perl -ne", step: `run: echo a | perl -ne "print '${{ inputs.x }}'"`, value: `'; system("touch pwned"); '`},
	{name: "a file of perl -n", step: `run: perl -ne 'print' ${{ inputs.x }}`, value: "touch pwned |"},
	{name: "python -c", step: `run: python3 -c "print('${{ inputs.x }}')"`, value: `'); import os; os.system("touch pwned"); ('`},
	{name: "python -uc", step: `run: python3 -uc "print('${{ inputs.x }}')"`, value: `'); import os; os.system("touch pwned"); ('`},
	{name: "python's script file", step: `run: python3 ${{ inputs.x }}`, value: "./tool.py"},
	{name: "node -e", step: `run: node -e "console.log('${{ inputs.x }}')"`, value: `'); require("child_process").execSync("touch pwned"); ('`},
	{name: "node -p", step: `run: node -p "'${{ inputs.x }}'"`, value: `'; require("child_process").execSync("touch pwned"); '`},
	{name: "make VAR=", step: "run: |\n    printf 'all:\\n\\techo $(X)\\n' >Makefile\n    make X=${{ inputs.x }}", value: "$(shell touch pwned)"},
	{name: "make's goal", step: "run: |\n    printf 'all:\\n\\techo $(X)\\n' >Makefile\n    make all ${{ inputs.x }}", value: "X=$(shell touch pwned)"},
	{name: "env -S", step: `run: env -S "${{ inputs.x }}"`, value: "touch pwned"},
	{name: "git -c", step: `run: git -c ${{ inputs.x }} st`, value: "alias.st=!touch pwned"},
	{name: "git clone -u", step: `run: git clone --upload-pack=${{ inputs.x }} . there`, value: "touch pwned;"},
	{name: "git submodule foreach", step: `run: git bisect start; git submodule foreach "echo ${{ inputs.x }}"`},
	{name: "psql -c", step: `run: psql -c "SELECT '${{ inputs.x }}'"`, value: `'; \! touch pwned`},
	{name: "sqlite3", step: "run: |\n    sqlite3 :memory: \"SELECT '${{ inputs.x }}'\" .quit", value: "';\n.shell touch pwned\n--"},
	{name: "jq", step: `run: jq -n "\"${{ inputs.x }}\""`, value: `" + "pwned-by-jq`},
	{name: "tar", step: `run: tar -cf x.tar --checkpoint=1 --checkpoint-action=${{ inputs.x }} .`, value: "exec=touch pwned"},
	{name: "crontab", step: `run: echo "* * * * * ${{ inputs.x }}" | crontab -`},
	// Code in the input.
	{name: "a here-document to sh", step: "run: |\n    sh <<END\n    echo ${{ inputs.x }}\n    END"},
	{name: "a here-document to sh -s", step: "run: |\n    sh -s a <<END\n    echo ${{ inputs.x }}\n    END"},
	{name: "a here-document to ssh", step: "run: |\n    ssh host <<END\n    echo ${{ inputs.x }}\n    END"},
	{name: "a here-document to psql", step: "run: |\n    psql db <<END\n    SELECT '${{ inputs.x }}'\n    END", value: `'; \! touch pwned`},
	{name: "a here-string to bash", step: `run: bash <<< "echo ${{ inputs.x }}"`},
	{name: "a pipe to sh", step: `run: echo "echo ${{ inputs.x }}" | sh`},
	{name: "a longer pipe to sh", step: `run: echo "echo ${{ inputs.x }}" | tr a a | sh`},
	{name: "a pipe to a group with sh", step: `run: echo "echo ${{ inputs.x }}" | { sh; }`},
	{name: "a pipe to python", step: `run: echo "print('${{ inputs.x }}')" | python3 -`, value: `'); import os; os.system("touch pwned"); ('`},
	{name: "a pipe to xargs sh", step: `run: echo ${{ inputs.x }} | xargs -I{} sh -c 'echo {}'`},
	{name: "a process as the input", step: `run: sh < <(echo ${{ inputs.x }})`},
	{name: "a file as the input", step: `run: sh < ${{ inputs.x }}`, value: "./tool"},
	{name: "stdin", step: "run: sh\n  parameters: {stdin: '${{ inputs.x }}'}", value: "touch pwned"},
	{name: "stdin of a list", step: "run: [sh]\n  parameters: {stdin: '${{ inputs.x }}'}", value: "touch pwned"},
	// What the shell itself reads.
	{name: "arithmetic", step: `run: echo $(( ${{ inputs.x }} ))`, value: "a[$(touch pwned)]"},
	{name: "arithmetic of a variable", step: `run: n=${{ inputs.x }}; echo $(( n + 1 ))`, value: "a[$(touch pwned)]"},
	{name: "arithmetic of $n", step: `run: n=${{ inputs.x }}; echo $(( $n + 1 ))`, value: "a[$(touch pwned)]"},
	{name: "(( ))", step: `run: n=${{ inputs.x }}; (( n > 1 )) || true`, value: "a[$(touch pwned)]"},
	{name: "let", step: `run: n=${{ inputs.x }}; let m=n+1`, value: "a[$(touch pwned)]"},
	{name: "declare -i", step: `run: declare -i n=${{ inputs.x }}`, value: "a[$(touch pwned)]"},
	{name: "[[ -eq ]]", step: `run: n=${{ inputs.x }}; [[ $n -eq 1 ]] || true`, value: "a[$(touch pwned)]"},
	{name: "[[ -v ]]", step: `run: "[[ -v ${{ inputs.x }} ]] || true"`, value: "a[$(touch pwned)]"},
	{name: "test -v", step: `run: test -v ${{ inputs.x }} || true`, value: "a[$(touch pwned)]"},
	{name: "an index", step: `run: a=(1 2); i=${{ inputs.x }}; echo ${a[$i]}`, value: "$(touch pwned)"},
	{name: "an index of an assignment", step: `run: i=${{ inputs.x }}; a[$i]=1`, value: "b[$(touch pwned)]"},
	{name: "a part of a text", step: `run: a=abc; i=${{ inputs.x }}; echo ${a:i}`, value: "b[$(touch pwned)]"},
	{name: "an indirection", step: `run: n=${{ inputs.x }}; echo ${!n}`, value: "a[$(touch pwned)]"},
	{name: "@P", step: `run: n=${{ inputs.x }}; echo ${n@P}`, value: "$(touch pwned)"},
	{name: "printf -v", step: `run: printf -v ${{ inputs.x }} a`, value: "a[$(touch pwned)]"},
	{name: "read", step: `run: read ${{ inputs.x }} <<< a`, value: "a[$(touch pwned)]"},
	{name: "declare", step: `run: declare ${{ inputs.x }}`, value: "a[$(touch pwned)]=1"},
	{name: "export", step: `run: export "${{ inputs.x }}=1"; ls`, value: "BASH_ENV"},
	{name: "unset", step: `run: a=(1); unset ${{ inputs.x }}`, value: "a[$(touch pwned)]"},
	{name: "PATH", step: `run: PATH=${{ inputs.x }}:$PATH; tool`, value: "."},
	{name: "BASH_ENV", step: `run: BASH_ENV=${{ inputs.x }} bash -c true`, value: "./tool"},
	{name: "BASH_ENV of the step", step: "run: bash -c true\n  env: {BASH_ENV: '${{ inputs.x }}'}", value: "./tool"},
	{name: "backquotes", step: "run: echo `echo ${{ inputs.x }}`"},
	{name: "a command", step: `run: ${{ inputs.x }}`, value: "./tool"},
	{name: "a command in a variable", step: `run: c=${{ inputs.x }}; $c`, value: "./tool"},
	{name: "a command behind env", step: `run: env ${{ inputs.x }}`, value: "./tool"},
	{name: "a command behind sudo", step: `run: sudo -u me ${{ inputs.x }}`, value: "./tool"},
	{name: "a command behind timeout", step: `run: timeout 5 ${{ inputs.x }}`, value: "./tool"},
	{name: "single quotes", step: `run: echo '${{ inputs.x }}'`},
	{name: "a backslash", step: `run: echo \${{ inputs.x }}`},
	// By way of a variable.
	{name: "eval of a variable", step: `run: v=${{ inputs.x }}; eval "echo $v"`},
	{name: "bash -c of a variable", step: `run: v=${{ inputs.x }}; bash -c "echo $v"`},
	{name: "eval of a variable of a variable", step: `run: v=${{ inputs.x }}; w="a $v"; eval "echo $w"`},
	{name: "eval of what a command prints", step: `run: v=$(echo ${{ inputs.x }}); eval "echo $v"`},
	{name: "eval of a loop's variable", step: `run: for v in ${{ inputs.x }}; do eval "echo $v"; done`},
	{name: "eval of a line that is read", step: `run: echo ${{ inputs.x }} | while read -r v; do eval "echo $v"; done`},
	{name: "eval in a function", step: "run: |\n    f() { eval \"echo $1\"; }\n    f ${{ inputs.x }}"},
	{name: "eval of set --", step: `run: set -- ${{ inputs.x }}; eval "echo $1"`},
	{name: "eval of the step's env", step: "run: eval \"echo $X\"\n  env: {X: '${{ inputs.x }}'}"},
	{name: "eval behind sh -c", step: `run: sh -c 'eval "echo $1"' sh ${{ inputs.x }}`},
	{name: "eval behind sh -c in a list", step: `run: [sh, -c, 'eval "echo $1"', sh, '${{ inputs.x }}']`},
	{name: "eval behind sh -c of its name", step: `run: sh -c 'eval "$0"' ${{ inputs.x }}`, value: "touch pwned"},
	{name: "eval of another name", step: `run: v=${{ inputs.x }}; declare -n r=v; eval "$r"`, value: "touch pwned"},
	{name: "eval by another name", step: `run: declare -n r=v; r=${{ inputs.x }}; eval "$v"`, value: "touch pwned"},
	{name: "eval of what a function prints", step: `run: f() { echo ${{ inputs.x }}; }; eval "$(f)"`, value: "touch pwned"},
	{name: "a shell of what a function prints", step: `run: f() { echo ${{ inputs.x }}; }; f | sh`, value: "touch pwned"},
	{name: "source of what a function prints", step: `run: v=${{ inputs.x }}; f() { echo "$v"; }; . <(f)`, value: "touch pwned"},
	{name: "a shell of the folder", step: `run: mkdir -p ${{ inputs.x }}; cd ${{ inputs.x }}; pwd | tail -c 12 | sh`, value: "touch pwned"},
	{name: "xargs env", step: `run: echo ${{ inputs.x }} | xargs env`, value: "touch pwned"},
	{name: "split --filter", step: `run: split --filter=${{ inputs.x }} a`, value: "touch pwned"},
	{name: "m4", step: `run: m4 <<< ${{ inputs.x }}`, value: "syscmd(touch pwned)"},
	{name: "eval of a folder", step: `run: mkdir -p ${{ inputs.x }}; cd ${{ inputs.x }}; eval "$(pwd)"`, value: "x;touch pwned"},
	{name: "eval of the step's folder", step: "run: eval \"$(pwd)\"\n  dir: '${{ inputs.x }}'", value: "x;touch pwned"},
	{name: "eval of $PWD", step: `run: mkdir -p ${{ inputs.x }}; cd ${{ inputs.x }}; eval "echo $PWD"`, value: "x;touch pwned"},
	{name: "eval of the folder before", step: `run: mkdir -p ${{ inputs.x }}; cd ${{ inputs.x }}; cd ..; bash -c "echo $OLDPWD"`, value: "x;touch pwned"},
	{name: "eval of a folder's variable", step: `run: mkdir -p ${{ inputs.x }}; pushd ${{ inputs.x }}; d=$(realpath .); eval "ls $d"`, value: "x;touch pwned"},
	// Lists.
	{name: "python -c in a list", step: `run: [python3, -c, "print('${{ inputs.x }}')"]`, value: `'); import os; os.system("touch pwned"); ('`},
	{name: "awk in a list", step: `run: [awk, "BEGIN { print \"${{ inputs.x }}\" }"]`, value: `"; system("touch pwned"); x = "`},
	{name: "ssh in a list", step: `run: [ssh, host, "echo ${{ inputs.x }}"]`},
	{name: "perl -e in a list", step: `run: [env, A=1, perl, -we, "print '${{ inputs.x }}'"]`, value: `'; system("touch pwned"); '`},
	{name: "a program in a list", step: `run: ["${{ inputs.x }}", a]`, value: "./tool"},
	// A program whose name is known only when it runs.
	{name: "a shell in a variable", step: `run: S=bash; $S -c "echo ${{ inputs.x }}"`},
	{name: "a shell and its option in a variable", step: `run: S="bash -c"; $S "echo ${{ inputs.x }}"`},
	{name: "a shell that is looked for", step: `run: $(which bash) -c "echo ${{ inputs.x }}"`},
	{name: "the shell itself", step: `run: $0 -c "echo ${{ inputs.x }}"`},
	{name: "a shell by default", step: `run: "${SHELL:-/bin/sh} -c \"echo ${{ inputs.x }}\""`},
	{name: "the shell's process", step: `run: /proc/$$/exe -c "echo ${{ inputs.x }}"`},
	{name: "the process itself", step: `run: /proc/self/exe -c "echo ${{ inputs.x }}"`},
	{name: "eval in a variable", step: `run: e=eval; $e echo ${{ inputs.x }}`},
	{name: "a shell by a pattern", step: `run: /bin/bas? -c "echo ${{ inputs.x }}"`},
	{name: "a shell in braces", step: `run: "{bash,-c} \"echo ${{ inputs.x }}\""`},
	{name: "a shell in escapes", step: "run: $'\\x62ash' -c \"echo ${{ inputs.x }}\""},
	{name: "a shell in a variable behind env", step: `run: S=bash; env $S -c "echo ${{ inputs.x }}"`},
	{name: "a shell in a variable behind find", step: `run: S=bash; find . -maxdepth 0 -exec $S -c "echo ${{ inputs.x }}" \;`},
	{name: "a shell in a variable behind xargs", step: `run: S=sh; printf '%s\n' ${{ inputs.x }} | xargs -I{} $S -c {}`},
	{name: "a shell in a variable in a container", step: `run: S=sh; docker exec c $S -c ${{ inputs.x }}`},
	{name: "a shell in a variable in a pod", step: `run: S=sh; kubectl exec -i pod -- "$S" -ec "echo ${{ inputs.x }}"`},
	{name: "a shell in a variable in a service", step: `run: S=sh; docker compose run --rm app $S -c "echo ${{ inputs.x }}"`},
	{name: "a shell in a variable and a pipe", step: `run: S=bash; echo ${{ inputs.x }} | $S`},
	{name: "a shell's option in a variable", step: `run: o=-c; bash $o "echo ${{ inputs.x }}"`},
	{name: "a shell by an alias", step: "run: |\n    shopt -s expand_aliases\n    alias b=bash\n    b -c \"echo ${{ inputs.x }}\""},
	{name: "a shell by hash", step: `run: hash -p /bin/bash b; b -c "echo ${{ inputs.x }}"`},
	{name: "rbash", step: `run: rbash -c "echo ${{ inputs.x }}"`},
	// Input in another way than by a pipe.
	{name: "the dot of the input", step: `run: . /dev/stdin <<< ${{ inputs.x }}`, value: "touch pwned"},
	{name: "source of a descriptor", step: `run: source /dev/fd/3 3<<< ${{ inputs.x }}`, value: "touch pwned"},
	{name: "a shell of a descriptor", step: `run: bash /proc/self/fd/3 3<<< ${{ inputs.x }}`, value: "touch pwned"},
	{name: "exec of a here-string", step: `run: exec 3<<< ${{ inputs.x }}; bash <&3`, value: "touch pwned"},
	{name: "exec of a process", step: `run: exec < <(echo ${{ inputs.x }}); bash`, value: "touch pwned"},
	{name: "a process as the output", step: `run: echo ${{ inputs.x }} > >(bash); sleep 0.2`, value: "touch pwned"},
	{name: "a process behind tee", step: `run: echo ${{ inputs.x }} | tee >(bash); sleep 0.2`, value: "touch pwned"},
	{name: "exec of a process as the output", step: `run: exec 3> >(bash); echo ${{ inputs.x }} >&3; exec 3>&-; sleep 0.2`, value: "touch pwned"},
	{name: "coproc", step: `run: coproc bash; echo ${{ inputs.x }} >&${COPROC[1]}; sleep 0.2`, value: "touch pwned"},
	{name: "a coproc with a name", step: `run: "coproc P { bash; }; echo ${{ inputs.x }} >&${P[1]}; sleep 0.2"`, value: "touch pwned"},
	{name: "a function with a shell", step: `run: f() { bash; }; f <<< ${{ inputs.x }}`, value: "touch pwned"},
	{name: "a function of a function with a shell", step: `run: g() { sh; }; f() { g; }; echo ${{ inputs.x }} | f`, value: "touch pwned"},
	{name: "compgen -W", step: `run: compgen -W ${{ inputs.x }}`},
	{name: "history", step: "run: |\n    set -o history\n    history -s ${{ inputs.x }}\n    fc -s", value: "touch pwned"},
	{name: "awk -f of the input", step: `run: mawk -f /dev/stdin <<< ${{ inputs.x }}`, value: `BEGIN { system("touch pwned") }`},
	{name: "awk -f-", step: `run: awk -f- <<< ${{ inputs.x }}`, value: `BEGIN { system("touch pwned") }`},
	{name: "python -m timeit", step: `run: python3 -m timeit -n 1 ${{ inputs.x }}`, value: "open('pwned', 'w')"},
	{name: "python -um timeit", step: `run: python3 -um timeit ${{ inputs.x }}`, value: "open('pwned', 'w')"},
	{name: "python -m timeit in a list", step: `run: [python3, -m, timeit, '${{ inputs.x }}']`, value: "open('pwned', 'w')"},
	{name: "curl -K", step: `run: curl -K - <<< ${{ inputs.x }}`, value: "url = file:///etc/hostname\noutput = pwned"},
	{name: "curl --config", step: `run: echo ${{ inputs.x }} | curl --config=/dev/stdin`, value: "url = file:///etc/hostname\noutput = pwned"},
	{name: "git config", step: `run: git config --global alias.x ${{ inputs.x }}; git x`, value: "!touch pwned"},
	{name: "git bisect run", step: `run: git bisect run ${{ inputs.x }}`, value: "./tool"},
	{name: "go env", step: `run: go env -w CC=${{ inputs.x }}`},
	// By the environment of a program.
	{name: "make by its environment", step: "run: |\n    printf 'all:\\n\\techo $(X)\\n' >Makefile\n    X=${{ inputs.x }} make", value: "$(shell touch pwned)"},
	{name: "make by export", step: "run: |\n    printf 'all:\\n\\techo $(X)\\n' >Makefile\n    export X=${{ inputs.x }}\n    make", value: "$(shell touch pwned)"},
	{name: "make by env", step: "run: |\n    printf 'all:\\n\\techo $(X)\\n' >Makefile\n    env X=${{ inputs.x }} make", value: "$(shell touch pwned)"},
	{name: "make by set -a", step: "run: |\n    printf 'all:\\n\\techo $(X)\\n' >Makefile\n    set -a; X=${{ inputs.x }}\n    make", value: "$(shell touch pwned)"},
	{name: "make by the step's env", step: "run: |\n    printf 'all:\\n\\techo $(X)\\n' >Makefile\n    make\n  env: {X: '${{ inputs.x }}'}", value: "$(shell touch pwned)"},
	{name: "make in a list", step: "run: [make]\n  env: {X: '${{ inputs.x }}'}"},
	{name: "git by its environment", step: `run: GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=${{ inputs.x }} git x`, value: "!touch pwned"},
	{name: "git's count", step: `run: export GIT_CONFIG_COUNT=${{ inputs.x }}`},
	{name: "git by the step's env", step: "run: git x\n  env: {GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: alias.x, GIT_CONFIG_VALUE_0: '${{ inputs.x }}'}", value: "!touch pwned"},
	{name: "a shell by export", step: `run: export X=${{ inputs.x }}; bash -c 'eval "$X"'`},
	{name: "a shell by its environment", step: `run: X=${{ inputs.x }} sh -c '$X'`, value: "./tool"},
	{name: "a shell by env", step: `run: env X=${{ inputs.x }} sh -c 'sh -c "$X"'`, value: "./tool"},
	{name: "a shell by the step's env", step: "run: bash -c 'eval \"$X\"'\n  env: {X: '${{ inputs.x }}'}"},
	{name: "a shell by export and a here-document", step: "run: |\n    export X=${{ inputs.x }}\n    bash <<'END'\n    eval \"$X\"\n    END"},
	{name: "the input of a shell's script", step: `run: printf '%s\n' ${{ inputs.x }} | bash -c 'read -r x; eval "$x"'`, value: "touch pwned"},
	{name: "the input of a shell's shell", step: `run: printf '%s\n' ${{ inputs.x }} | bash -c 'sh'`, value: "touch pwned"},
	{name: "eval of an input that a command prints", step: `run: printf %s ${{ inputs.x }} | { v=$(cat); eval "$v"; }`, value: "touch pwned"},
	{name: "eval of the step's input", step: "run: v=$(cat); eval \"$v\"\n  parameters: {stdin: '${{ inputs.x }}'}", value: "touch pwned"},
	{name: "a script that a command prints", step: `run: printf %s ${{ inputs.x }} | bash -c "$(cat)"`, value: "touch pwned"},
	{name: "shell", step: "run: echo a\n  shell: '${{ inputs.x }}'", value: "./tool"},
	{name: "shell in a list", step: "run: echo a\n  shell: [sh, '${{ inputs.x }}']", value: "./tool"},
	// A value that looks like an option.
	{name: "an option", step: `run: git clone -q ${{ inputs.x }} there`, value: "--upload-pack=touch pwned;"},
	{name: "an option in a list", step: `run: [tar, -cf, x.tar, --checkpoint=1, '${{ inputs.x }}', '.']`, value: "--checkpoint-action=exec=touch pwned"},

	// Data.
	{name: "an argument", step: `run: printf %s ${{ inputs.x }}`, data: "%s"},
	{name: "an argument of a program by its path", step: `run: /usr/bin/printf '%s %s %s' sh -c ${{ inputs.x }}`, data: "sh -c %s"},
	{name: "an argument in quotes", step: `run: printf %s "<${{ inputs.x }}>"`, data: "<%s>"},
	{name: "an argument of sh -c", step: `run: sh -c 'printf %s "$1"' sh ${{ inputs.x }}`, data: "%s"},
	{name: "a script of sh -c in a list", step: `run: [sh, -c, 'printf %s ${{ inputs.x }}']`, data: "%s"},
	{name: "a list", step: `run: [printf, '%s', '${{ inputs.x }}']`, data: "%s"},
	{name: "a variable", step: `run: v=${{ inputs.x }}; printf %s "$v"`, data: "%s"},
	{name: "a variable for a program", step: `run: V=${{ inputs.x }} sh -c 'printf %s "$V"'`, data: "%s"},
	{name: "the step's env", step: "run: printf %s \"$V\"\n  env: {V: '${{ inputs.x }}'}", data: "%s"},
	{name: "awk's input", step: `run: printf '%s\n' ${{ inputs.x }} | awk '{ printf "%s", $0 }'`, data: "%s"},
	{name: "an argument of python", step: `run: python3 -c 'import sys; sys.stdout.write(sys.argv[1])' ${{ inputs.x }}`, data: "%s"},
	{name: "jq --arg", step: `run: jq -nj --arg x ${{ inputs.x }} '$x'`, data: "%s"},
	{name: "jq's input", step: `run: printf %s ${{ inputs.x }} | jq -Rj .`, data: "%s"},
	{name: "a here-document to cat", step: "run: |\n    cat <<END\n    ${{ inputs.x }}\n    END", data: "%s\n"},
	{name: "stdin of cat", step: "run: cat\n  parameters: {stdin: '${{ inputs.x }}'}", data: "%s"},
	{name: "case", step: `run: case ${{ inputs.x }} in ${{ inputs.x }}) printf same;; esac`, data: "same"},
	{name: "[[ == ]]", step: `run: "[[ ${{ inputs.x }} == ${{ inputs.x }} ]] && printf same"`, data: "same"},
	{name: "grep -F", step: `run: printf '%s\n' ${{ inputs.x }} | grep -F -- ${{ inputs.x }}`, data: "%s\n"},
	{name: "a loop", step: `run: for v in ${{ inputs.x }}; do printf %s "$v"; done`, data: "%s"},
	{name: "xargs with data", step: `run: printf '%s\0' ${{ inputs.x }} | xargs -0 printf %s`, data: "%s"},
	{name: "an option's value", step: `run: git -c color.ui=never log --grep=${{ inputs.x }} -- x 2>/dev/null || printf none`, data: "none"},
	{name: "wait for some seconds", step: `run: timeout 9 printf %s ${{ inputs.x }}`, data: "%s"},
	{name: "a known program of a wrapper", step: `run: env A=1 timeout 5 printf %s ${{ inputs.x }}`, data: "%s"},
	{name: "a script in a folder", step: `run: echo 'printf %s "$1"' >s; d=.; bash "$d/s" ${{ inputs.x }}`, data: "%s"},
	{name: "a script in a variable behind --", step: `run: echo 'printf %s "$1"' >s; s=./s; bash -- "$s" ${{ inputs.x }}`, data: "%s"},
	{name: "tee into a process", step: `run: printf %s ${{ inputs.x }} | tee >(cat >copy)`, data: "%s"},
	{name: "exec into a process", step: `run: exec 3> >(cat >copy); printf %s ${{ inputs.x }} >&3; printf ok`, data: "ok"},
	{name: "exec of a here-string to cat", step: `run: exec 3<<< ${{ inputs.x }}; cat <&3`, data: "%s\n"},
	{name: "a function with an argument", step: `run: f() { printf %s "$1"; }; f ${{ inputs.x }}`, data: "%s"},
	{name: "a function with an input", step: `run: f() { cat; }; printf %s ${{ inputs.x }} | f`, data: "%s"},
	{name: "an input beside a script", step: `run: printf %s ${{ inputs.x }} | sh -c 'cat'`, data: "%s"},
	{name: "an alias of a program", step: "run: |\n    alias l=ls\n    printf %s ${{ inputs.x }}", data: "%s"},
	{name: "a log", step: `run: "exec 2>log; printf %s ${{ inputs.x }} | tee -a log"`, data: "%s"},
	{name: "awk -v", step: `run: awk -v a=1 -f prog.awk ${{ inputs.x }} 2>/dev/null || printf none`, data: "none"},
	{name: "git config user.name", step: `run: git config --global user.name ${{ inputs.x }}; git config user.name`, value: "me", data: "%s\n"},
	{name: "git by its author", step: `run: GIT_AUTHOR_NAME=${{ inputs.x }} printf ok`, data: "ok"},
	{name: "python -m of a program", step: `run: python3 -m base64 -t >/dev/null 2>&1; python3 -m json.tool ${{ inputs.x }} 2>/dev/null || printf none`, data: "none"},
	{name: "curl with a header", step: "run: |\n    curl -sS -H \"X: ${{ inputs.x }}\" -o copy file:///etc/hostname 2>/dev/null; printf ok", data: "ok"},
	{name: "make beside a value", step: "run: |\n    printf 'all:\\n\\t@printf made\\n' >Makefile\n    v=${{ inputs.x }}; make", data: "made"},
	{name: "a shell's script reads its environment", step: `run: export V=${{ inputs.x }}; bash -c 'for i in 1; do printf %s "$V"; done'`, data: "%s"},
	{name: "a here-document that reads its environment", step: "run: |\n    export V=${{ inputs.x }}\n    bash <<'END'\n    printf %s \"$V\"\n    END", data: "%s"},
	{name: "a script in a file", step: `run: echo 'printf %s "$V"' >s; V=${{ inputs.x }} bash s`, data: "%s"},
	{name: "the step's shell", step: "run: printf %s ${{ inputs.x }}\n  shell: bash -eu", data: "%s"},
	{name: "a function that prints", step: `run: f() { printf %s ${{ inputs.x }}; }; v=$(f); printf %s "$v"`, data: "%s"},
	{name: "a function that prints to a program", step: `run: f() { printf %s ${{ inputs.x }}; }; f | cat`, data: "%s"},
	{name: "a function that prints, beside a shell", step: `run: log() { printf %s ${{ inputs.x }}; }; log; echo true | sh`, data: "%s"},
	{name: "split", step: `run: printf %s ${{ inputs.x }} | split - y; cat y*`, data: "%s"},
	{name: "a folder", step: `run: mkdir -p ${{ inputs.x }}; cd ${{ inputs.x }}; d=$(pwd); basename "$d"; sh -c true`, data: "%s\n"},
	{name: "make in the step's folder", step: "run: |\n    printf 'all:\\n\\t@printf made\\n' >Makefile\n    make\n  dir: '${{ inputs.x }}'", value: ".", data: "made"},
	{name: "a list in the step's folder", step: "run: [make, -s, -f, /dev/null, --eval, '$(info made)all:']\n  dir: '${{ inputs.x }}'", value: ".", data: "made\n"},
	{name: "make in a folder", step: "run: |\n    printf 'all:\\n\\t@printf made\\n' >Makefile\n    mkdir -p ${{ inputs.x }} && cp Makefile ${{ inputs.x }} && cd ${{ inputs.x }} && make", value: "b", data: "made"},
	{name: "a container's command", step: `run: I=img; docker run --rm "$I" serve ${{ inputs.x }}`, data: "run --rm img serve %s"},
	{name: "trap", step: `run: f=$(mktemp); trap 'rm "$f"' EXIT; printf %s ${{ inputs.x }}`, data: "%s"},
	{name: "a function of trap", step: `run: v=${{ inputs.x }}; f() { printf %s "$v"; }; trap f EXIT`, data: "%s"},
	{name: "an array", step: `run: declare -a a=(1); a+=(${{ inputs.x }}); printf %s "${a[1]}"`, data: "%s"},
	{name: "an indirection by a name", step: `run: A=${{ inputs.x }}; for n in A; do printf %s "${!n}"; done`, data: "%s"},
	{name: "a match", step: "run: |\n    [[ ${{ inputs.x }} =~ (.*) ]]; printf %s \"${BASH_REMATCH[1]}\"", data: "%s"},
	{name: "sed of the input", step: `run: printf %s ${{ inputs.x }} | sed 's/zz/e/; s/^zz *//'`, data: "%s"},
	{name: "awk with an alternation", step: `run: printf '%s\n' ${{ inputs.x }} | awk '!/zz|yy/ || 1 { printf "%s", $0 }'`, data: "%s"},
	{name: "command -v", step: `run: command -v ${{ inputs.x }} || printf none`, value: "nosuch", data: "none"},
	{name: "a comment", step: "run: |\n    printf x # ${{ inputs.x }}", data: "x"},
}

// stubs stand for programs that run what they are given by a shell, and are not
// everywhere.
var stubs = map[string]string{
	"ssh": `for a in "$@"; do case $a in ProxyCommand=*) sh -c "${a#ProxyCommand=}";; esac; done
while :; do case $1 in -p|-o) shift 2;; -*) shift;; *) break;; esac; done; shift; if [ $# = 0 ]; then exec sh; fi; exec sh -c "$*"`,
	"docker":   `case $2 in c) shift 2; exec "$@";; esac; printf %s "$*"`,
	"kubectl":  `shift 4; exec "$@"`,
	"su":       `shift; exec sh -c "$1"`,
	"sudo":     `shift 2; exec "$@"`,
	"watch":    `shift 2; exec sh -c "$*"`,
	"parallel": `exec sh -c "$*"`,
	"psql":     `if [ "$1" = -c ]; then printf '%s\n' "$2"; else cat; fi | sed -n 's/.*\\! //p' | sh`,
	"crontab":  `sed 's/^\* \* \* \* \* //' | sh`,
}

// TestPlaces: a value in a shell step is data, or the plan is refused, as
// testdata/places.txt says.
func TestPlaces(t *testing.T) {
	bin := t.TempDir()
	for name, text := range stubs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	common := []string{`$(touch pwned)`, "`touch pwned`", `; touch pwned #`, `' ; touch pwned ; '`, `a'b"c $(touch pwned) \ *`}
	refused, ran := 0, 0
	var messages []string
	for _, f := range forms {
		source := fmt.Sprintf("inputs: {x: a}\nsteps:\n- id: a\n  %s\n", f.step)
		p, err := plan.Parse("p.yaml", []byte(source), nil)
		messages = append(messages, strings.ReplaceAll(fmt.Sprintf("%s: %v", f.name, err), "\n", " "))
		values := append([]string{f.value}, common...)
		if f.value == "" {
			values = common
		}
		isRefused, hasRun := err != nil, false
		for _, value := range values {
			if isRefused {
				break
			}
			out, run, err := play(t, bin, p.Steps[0], value)
			hasRun = hasRun || run
			if err != nil {
				isRefused = true
			} else if want := strings.ReplaceAll(f.data, "%s", value); f.data != "" && out != want {
				t.Errorf("%s: got %q, want %q", f.name, out, want)
			}
		}
		switch {
		case hasRun:
			ran++
			t.Errorf("%s: the value has run", f.name)
		case isRefused:
			refused++
			if err != nil && strings.Contains(err.Error(), "read the plan") && !strings.Contains(err.Error(), "step a: ") {
				t.Errorf("%s: refused for its form: %v", f.name, err)
			}
		}
		if isRefused != (f.data == "") {
			t.Errorf("%s: refused %v (%v), want %v", f.name, isRefused, err, f.data == "")
		}
	}
	t.Logf("%d forms: %d refused, %d ran the value", len(forms), refused, ran)
	plan.Golden(t, "places.txt", messages)
}

// play carries a step out with a value. An error is a refusal.
func play(t *testing.T, bin string, s plan.Step, value string) (out string, ran bool, err error) {
	got, err := plan.Resolve(s, plan.Resolver{Inputs: map[string]any{"x": value}})
	if err != nil {
		return "", false, err
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"tool": "#!/bin/sh\ntouch pwned\n", "tool.py": "open('pwned', 'w')\n", "a": "a\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	argv := []string{"bash", "-c"}
	switch c := got.Parameters["command"].(type) {
	case string:
		argv = append(argv, c)
	case []any:
		argv = nil
		for _, x := range c {
			argv = append(argv, fmt.Sprint(x))
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	env, _ := got.Parameters["env"].(map[string]any)
	for name, v := range env {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%v", name, v))
	}
	in, _ := got.Parameters["stdin"].(string)
	cmd.Stdin = strings.NewReader(in)
	b, _ := cmd.Output()
	_, err = os.Stat(filepath.Join(dir, "pwned"))
	return string(b), err == nil || strings.Contains(string(b), "pwned-by-jq"), nil
}
