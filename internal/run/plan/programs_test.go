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
