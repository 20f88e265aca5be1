package piton_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
	bold      = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	pageLink  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	inCode    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	reference = regexp.MustCompile(`docs/(\w+)\.md, ("[^"]+"(?:(?: and|,) "[^"]+")*)`)
	comment   = regexp.MustCompile(`\s*\n\s*//\s*`)
	quote     = regexp.MustCompile(`"([^"]+)"`)
	unAnchor  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestDocsLinks: a link from a page to a file or to a heading leads there.
func TestDocsLinks(t *testing.T) {
	for _, page := range pagesOf(t) {
		for _, m := range pageLink.FindAllStringSubmatch(inCode.ReplaceAllString(read(t, page), ""), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, ":") {
				continue
			}
			to := page
			if file != "" {
				to = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
				continue
			}
			if anchor != "" && !slices.Contains(anchorsOf(read(t, to)), anchor) {
				t.Errorf("%s: %s has no heading #%s", page, to, anchor)
			}
		}
	}
}

// TestDocsSections: a section of docs that the code names, by how it begins, is there.
func TestDocsSections(t *testing.T) {
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".go" {
			return err
		}
		for _, m := range reference.FindAllStringSubmatch(comment.ReplaceAllString(read(t, file), " "), -1) {
			page := read(t, "docs/"+m[1]+".md")
			for _, name := range quote.FindAllStringSubmatch(m[2], -1) {
				begins := func(s string) bool { return strings.HasPrefix(strings.ToLower(s), strings.ToLower(name[1])) }
				if !slices.ContainsFunc(sectionsOf(page), begins) {
					t.Errorf("%s: docs/%s.md has no section %q", file, m[1], name[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func pagesOf(t *testing.T) []string {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(pages, "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sectionsOf are the headings of a page and what begins its paragraphs in bold.
func sectionsOf(page string) (names []string) {
	for _, m := range slices.Concat(heading.FindAllStringSubmatch(page, -1), bold.FindAllStringSubmatch(page, -1)) {
		names = append(names, strings.Trim(m[1], "."))
	}
	return names
}

// anchorsOf are the anchors of a page's headings, as GitHub makes them.
func anchorsOf(page string) (names []string) {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		names = append(names, strings.ReplaceAll(unAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return names
}
