package tools

//go:generate go run ./gen

import "strings"

// anyFormats are those of all runners, for a tool that runs others. Of two that could
// read a line the first does.
const anyFormats = "ginkgo go pytest unittest jest vitest bun uvu playwright ava mocha jasmine karma deno cargo rspec minitest cucumber phpunit maven gradle sbt dotnet swift zig " +
	"ctest gtest exunit dart busted testthat julia forge prove clojure haskell bazel bats environments check compiler tap"

// readersOf begin to read the formats of some names.
func readersOf(names string) (all []*reader) {
	for name := range strings.FieldsSeq(names) {
		for i := range formats {
			if formats[i].Name == name {
				all = append(all, &reader{format: &formats[i]})
			}
		}
	}
	return all
}
