package tools

import (
	"strings"
	"testing"
)

func TestThinned(t *testing.T) {
	const goA, goB = "func TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Fatal(1)\n\t}\n}\n", "func TestB(t *testing.T) {\n\tt.Log(2)\n}\n"
	for _, c := range []struct{ name, ecosystem, before, now, want string }{
		{"nothing", "go", goA, goA, ""},
		{"one more", "go", goA, goA + goB, ""},
		{"a new one that is skipped", "go", goA, goA + "func TestB(t *testing.T) {\n\tt.Skip()\n}\n", ""},
		{"another name", "go", goA, "func TestX(t *testing.T) {\n\tt.Fatal(1)\n}\n", ""},
		{"one gone", "go", goA + goB, goA, "TestB is gone"},
		{"all gone", "go", goA + goB, "", "all of its tests are gone: TestA, TestB"},
		{"two for one", "go", goA + goB, "func TestX(t *testing.T) {\n\tt.Fatal(1)\n}\n", "1 fewer tests than before: TestA, TestB are gone"},
		{"moved to another file", "go", "package x\n" + goA + goB, "package x\n" + goB + "package x\n" + goA, ""},
		{"commented out", "go", goA + goB, goA + "// " + goB, "TestB is gone"},
		{"empty", "go", goA + goB, "func TestA(t *testing.T) {}\n" + goB, "TestA is empty now"},
		{"empty and last", "go", goB + goA, goB + "func TestA(t *testing.T) {\n}\n\nfunc help() int {\n\treturn 1\n}\n", "TestA is empty now"},
		{"skipped", "go", goA, "func TestA(t *testing.T) {\n\tt.Skip(\"flaky\")\n\tt.Fatal(1)\n}\n", "TestA is skipped now"},
		{"skipped before", "go", "func TestA(t *testing.T) {\n\tt.Skip()\n\tf()\n}\n", "func TestA(t *testing.T) {\n\tt.Skip(\"x\")\n\tf()\n\tg()\n}\n", ""},
		{"kept out by a tag", "go", goA, "//go:build never\n\npackage x\n" + goA, "a group of tests is left out now: //go:build"},
		{"one more helper", "go", goA, goA + "func help() {}\n", ""},

		{"pytest's mark", "python", "def test_a():\n    assert f()\n", "@pytest.mark.skip(reason='x')\ndef test_a():\n    assert f()\n", "test_a is skipped now"},
		{"pytest's mark on the second", "python", "def test_a():\n    assert f()\n\ndef test_b():\n    assert f()\n", "def test_a():\n    assert f()\n\n@pytest.mark.xfail\ndef test_b():\n    assert f()\n", "test_b is skipped now"},
		{"a mark on the module", "python", "def test_a():\n    assert f()\n", "pytestmark = pytest.mark.skip\n\ndef test_a():\n    assert f()\n", "a group of tests is left out now: pytest.mark.skip"},
		{"pass", "python", "class TestX(TestCase):\n    def test_a(self):\n        self.assertTrue(f())\n", "class TestX(TestCase):\n    def test_a(self):\n        pass\n", "test_a is empty now"},
		{"skipTest", "python", "    def test_a(self):\n        f()\n", "    def test_a(self):\n        self.skipTest('x')\n        f()\n", "test_a is skipped now"},

		{"it.skip", "node", "it('adds', () => {\n  expect(1).toBe(1)\n})\n", "it.skip('adds', () => {\n  expect(1).toBe(1)\n})\n", "adds is skipped now"},
		{"xit", "node", "it('adds', () => {\n  expect(1)\n})\n", "xit('adds', () => {\n  expect(1)\n})\n", "adds is skipped now"},
		{"test.todo", "node", "test('adds', () => {\n  expect(1)\n})\n", "test.todo('adds')\n", "adds is empty now"},
		{"describe.skip", "node", "describe('x', () => {\nit('adds', () => {\n  expect(1)\n})\n})\n", "describe.skip('x', () => {\nit('adds', () => {\n  expect(1)\n})\n})\n", "a group of tests is left out now: describe.skip"},
		{"it.only", "node", "it('a', () => expect(1))\nit('b', () => expect(1))\n", "it.only('a', () => expect(1))\nit('b', () => expect(1))\n", "a group of tests is left out now: it.only"},
		{"one gone of many forms", "node", "test.each([1])('a %d', (x) => {\n f(x)\n})\nit('b', () => { f() })\n", "it('b', () => { f() })\n", "a %d is gone"},

		{"#[ignore]", "rust", "#[test]\nfn a() {\n    assert!(f());\n}\n", "#[test]\n#[ignore]\nfn a() {\n    assert!(f());\n}\n", "a is skipped now"},
		{"#[ignore] first", "rust", "#[tokio::test]\nasync fn a() {\n    f();\n}\n", "#[ignore = \"x\"]\n#[tokio::test]\nasync fn a() {\n    f();\n}\n", "a is skipped now"},
		{"@Disabled", "java", "@Test\nvoid adds() {\n  f();\n}\n", "@Disabled\n@Test\nvoid adds() {\n  f();\n}\n", "adds is skipped now"},
		{"xit of RSpec", "ruby", "  it 'adds' do\n    f\n  end\n", "  xit 'adds' do\n    f\n  end\n", "adds is skipped now"},
		{"skip: true", "elixir", "test \"adds\" do\n  f\nend\n", "@tag :skip\ntest \"adds\" do\n  f\nend\n", "adds is skipped now"},
		{"Skip of xUnit", "dotnet", "[Fact]\npublic void Adds() {\n f();\n}\n", "[Fact(Skip = \"x\")]\npublic void Adds() {\n f();\n}\n", "Adds is skipped now"},
		{"markTestSkipped", "php", "public function testA() {\n f();\n}\n", "public function testA() {\n $this->markTestSkipped();\n f();\n}\n", "testA is skipped now"},
		{"four gone", "go", "func TestA(t *testing.T) {\n\tf()\n}\nfunc TestB(t *testing.T) {\n\tf()\n}\nfunc TestC(t *testing.T) {\n\tf()\n}\nfunc TestD(t *testing.T) {\n\tf()\n}\n", "", "all of its tests are gone: TestA, TestB, TestC and 1 more"},
		{"empty before", "go", "func TestA(t *testing.T) {\n}\n", "func TestA(t *testing.T) {}\n", ""},
		{"a comment and no more", "go", goA, "func TestA(t *testing.T) {\n\t// later\n}\n", "TestA is empty now"},
		{"no line of comments", "go", goA, "//go:build x\n" + goA, "a group of tests is left out now: //go:build"},
		{"empty, and the next does something", "go", goA + goB, "func TestA(t *testing.T) {\n}\n" + goB, "TestA is empty now"},
		{"skipped and empty", "python", "def test_a():\n    f()\n\ndef test_b():\n    f()\n", "@unittest.skip('x')\ndef test_a():\n    f()\n\ndef test_b():\n    ...\n", "test_b is empty now; test_a is skipped now"},
		{"two skipped", "python", "def test_a():\n    f()\n\ndef test_b():\n    f()\n", "@pytest.mark.skip\ndef test_a():\n    f()\n\n@pytest.mark.skip\ndef test_b():\n    f()\n", "test_a, test_b are skipped now"},
		{"in a body, on one line", "node", "it('a', () => { f() })\n", "it('a', () => {})\n", "a is empty now"},
		{"skipped in the second of two", "go", goA + goB, goA + "func TestB(t *testing.T) {\n\tt.Skip()\n}\n", "TestB is skipped now"},
		{"too long", "go", goA + strings.Repeat(" ", maxThinned), "", ""},
		{"no ecosystem", "", "x", "y", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Thinned(c.before, c.now, c.ecosystem).String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzThinned(f *testing.F) {
	f.Add("func TestA(t *testing.T) {}", "it.skip('x')")
	f.Fuzz(func(t *testing.T, before, now string) {
		for _, e := range Ecosystems {
			if got := Thinned(before, before, e.Name).String(); got != "" {
				t.Errorf("%s: the same text is thinner than itself: %s", e.Name, got)
			}
			Thinned(before, now, e.Name)
		}
	})
}
