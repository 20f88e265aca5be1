package shell

import (
	"strings"
	"testing"
)

func TestParsePowerShell(t *testing.T) {
	cases := map[string]struct{ line, want string }{
		"lone command":              {`npm test`, "npm|test decides"},
		"after one another":         {`cd web; npm test`, "cd|web hidden\nweb> npm|test decides"},
		"both":                      {`npm test && npm run build`, "npm|test decides\nnpm|run|build decides"},
		"set-location":              {`Set-Location -Path '.\web app'; npm test`, "cd|.\\web app hidden\n.\\web app> npm|test decides"},
		"push and pop":              {`Push-Location api; go test ./...; Pop-Location; git status`, "pushd|api hidden\napi> go|test|./... hidden\napi> popd hidden\ngit|status decides"},
		"variable":                  {`$dir = 'src\shop'; cd $dir; go vet`, "cd|src/shop hidden\nsrc/shop> go|vet decides"},
		"variable that is not told": {`$dir = Get-Location; cd $dir; go vet`, "Get-Location hidden\ncd|$dir hidden\n$dir> go|vet decides"},
		"environment":               {`$env:CI = '1'; npm test`, "npm|test decides"},
		"call operator":             {`& '.\node_modules\.bin\vitest.cmd' run`, "./node_modules/.bin/vitest.cmd|run decides"},
		"tail":                      {`npm test 2>&1 | Select-Object -Last 20`, "npm|test hidden\ntail|-n|20 decides"},
		"search":                    {`npm test | Select-String -Pattern "fail ing"`, "npm|test hidden\ngrep|-e|fail ing decides"},
		"if a program failed":       {"npm test\nif ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }\nnpm run build", "npm|test decides\nexit|$? hidden\nnpm|run|build decides"},
		"if a program failed, else": {"npm test; if ($LASTEXITCODE -ne 0) { echo no } else { echo yes }", "npm|test hidden\n[|$_|] hidden\necho|no hidden\necho|yes hidden"},
		"if a program did not fail": {"npm test; if ($?) { npm run build }", "npm|test hidden\n[|$_|] hidden\nnpm|run|build hidden"},
		"exit of the status":        {`npm test; exit $LASTEXITCODE`, "npm|test decides\nexit|$? decides"},
		"exit":                      {`npm test; exit`, "npm|test hidden\nexit|0 decides"},
		"if":                        {"if (Test-Path a.txt) {\n  npm test\n} elseif ($x) { npm run lint } else { go test }", "Test-Path|a.txt hidden\n[|$_|] hidden\nnpm|test hidden\n[|$_|] hidden\nnpm|run|lint hidden\ngo|test hidden"},
		"foreach":                   {`foreach ($f in Get-ChildItem) { go test $f }`, "go|test|$f hidden"},
		"do":                        {`do { go test } while ($x); go vet`, "go|test hidden\ngo|vet decides"},
		"try":                       {`try { npm test } catch [System.Exception] { exit 1 } finally { Pop-Location }`, "npm|test hidden\n[|$_|] hidden\nexit|1 hidden\npopd decides"},
		"throw that is caught":      {`try { throw 'x' } catch { }; npm test`, "false hidden\n[|$_|] hidden\n: hidden\nnpm|test decides"},
		"block for each":            {`Get-Content names | ForEach-Object { go test $_ }`, "cat|names hidden\n[|$_|] hidden\ngo|test|$_ hidden\nForEach-Object decides"},
		"in brackets":               {`$out = (npm test 2>&1); $out`, "npm|test hidden\n:|$_|$(npm test 2>&1\n) hidden\n:|$_ decides"},
		"in a text":                 {`Write-Host "run npm test"`, "echo|run npm test decides"},
		"in a comment":              {"<# npm test #>\ngit status # npm test", "git|status decides"},
		"line goes on":              {"go test `\n  ./...", "go|test|./... decides"},
		"escapes":                   {"echo \"a`\"b\" 'c''d'", "echo|a\"b|c'd decides"},
		"inside":                    {`powershell -NoProfile -Command "cd web; npm test"`, "cd|web hidden\nweb> npm|test decides"},
		"cmd":                       {`cmd /c "cd web && npm test"`, "cd|web decides\nweb> npm|test decides"},
		"behind":                    {`npm start &`, "npm|start background"},
		"set-content":               {`Set-Content -Path src\a.ts -Value 'x'`, "printf|%s|x decides >src/a.ts"},
		"set-content by place":      {`Set-Content src\a.ts $text -Encoding utf8`, "printf|%s|$text decides >src/a.ts"},
		"set-content of a pipe":     {"@'\nnpm test\n'@ | Set-Content -Encoding utf8 a.md", "printf|%s|npm test hidden\ncat decides >a.md"},
		"replace":                   {`(Get-Content a.ts) -replace 'x','y' | Set-Content a.ts`, "cat|a.ts hidden\n:|$_|$(cat a.ts\n) hidden\ncat decides >a.ts"},
		"out-file":                  {`go test > out.txt; git log | Out-File -FilePath log.txt`, "go|test hidden >out.txt\ngit|log hidden\ncat decides >log.txt"},
		"remove":                    {`Remove-Item -Recurse -Force dist, tmp\a.ts -ErrorAction SilentlyContinue`, "rm|-r|dist|tmp/a.ts decides"},
		"copy":                      {`Copy-Item -Path a.ts -Destination lib\b.ts -Force`, "cp|a.ts|lib/b.ts decides"},
		"rename":                    {`Rename-Item src\a.ts b.ts`, "mv|src/a.ts|src/b.ts decides"},
		"new folder":                {`New-Item -ItemType Directory -Force lib | Out-Null`, "mkdir|-p|lib hidden\ncat decides"},
		"switched off":              {`git status *> $null; go test 2>$null`, "git|status hidden\ngo|test decides"},
		"any letters' case":         {`GET-CHILDITEM src`, "Get-ChildItem|src decides"},
		"nothing":                   {``, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := ParsePowerShell(c.line)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(found); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPowerShellNotUnderstood(t *testing.T) {
	for _, line := range []string{"python - <<'E'\nE", "if (a) { npm test", "npm test }", `echo "a`, "class A { }", "@'\nx", "if (" + strings.Repeat("(", 600)} {
		if found, err := ParsePowerShell(line); err == nil {
			t.Errorf("%q: got %q, want an error", line, show(found))
		}
	}
}

// FuzzParsePowerShell holds that no text makes the reader fail, or takes it long.
func FuzzParsePowerShell(f *testing.F) {
	for _, s := range []string{
		"if (Test-Path a) { npm test } elseif (-not $x) { } else { exit 3 }; exit $LASTEXITCODE",
		"$x = @{ a = 'b' }; foreach ($y in 1..3) { try { throw \"a $($x.b)\" } catch [A] { } finally { } }",
		"@\"\n$x\n\"@ | Set-Content a.txt -Append; (gc a) -replace 'b','c' | sc a; gci | % { $_ } | Out-Null",
		"& 'a b' -c:$true `\n d 2>&1 *> $null; do { } until ($x); function f($a) { return 1 } <# c #> # d",
		"cmd /c \"a & b\"; powershell -c 'pwsh -Command \"a; b\"'; $env:A = 'b'; ${a b} += 1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		found, err := ParsePowerShell(line)
		if err != nil && found != nil {
			t.Errorf("got commands with an error")
		}
		for _, c := range found {
			if c.Succeeded(true) == Yes && c.Status != Decides {
				t.Errorf("got yes for %v", c.Status)
			}
		}
	})
}
