package tools

var nativeTools = []Tool{
	{Names: "ctest", Picks: ctestPicks, Installed: true, Ecosystem: "c", Does: Tests | Variable | Runner | Reads | Outside, Dry: "-N --show-only --print-labels", Output: Output{Format: "ctest gtest compiler"}},
	{Names: "meson", Picks: mesonPicks, Ecosystem: "c", Does: Outside | Configures, Subs: []Sub{{"test", Tests | Runner}}, Output: Output{Format: "ctest gtest compiler"}},
	{Names: "ninja", Picks: taskPicks, Ecosystem: "c", Does: Outside, Subs: []Sub{{"test", Tests | Runner}, {"check", Tests}}, Takes: "-C -f -j -k", Folder: "-C --directory", Dry: "-n -t", Output: Output{Format: "ctest gtest compiler"}},
	{
		Names: "cmake", Picks: cmakePicks, Does: Configures, Ecosystem: "c", Subs: []Sub{{"--target test|-t test|--target check|-t check", Tests | Runner}},
		Takes: "--build --target -t --config -j --parallel -S -B -G -D -A -T -C --preset --install --prefix", Dry: "-N -h --help",
		Output: Output{Format: "ctest gtest compiler"},
	},
	{Names: "configure", Does: Configures},
	{Names: "clang-format", Versioned: true, Does: Formats, Rewrites: &Rewrites{With: "--in-place", Letters: "i"}},
	{Names: "gcc g++ cc c++ clang clang++ ld", Writes: outputWrites, Output: Output{Format: "compiler"}},
	{Names: "nm ldd objdump", Does: Reads},
	{Names: "strings", Does: Reads | Prints, Shows: &Shows{}},
	{Names: "swift", Picks: swiftPicks, Installed: true, Ecosystem: "swift", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}}, Takes: "--package-path --filter --scratch-path -c", Project: "--package-path", Dry: "--list-tests --show-bin-path", DrySubs: "test list|test last", Writes: subcommandWrites, Output: Output{Format: "swift compiler"}},
	{Names: "xcodebuild", Ecosystem: "swift", Subs: []Sub{{"test", Tests | Runner}}, Output: Output{Format: "swift compiler"}},
	{Names: "swiftlint", Rewrites: &Rewrites{With: lintFixes, From: 1}},
	{Names: "zig", Picks: zigPicks, Installed: true, Ecosystem: "zig", Chooses: 1, Does: Subject, Subs: []Sub{{"build test|test", Tests | Runner}}, Writes: subcommandWrites, Output: Output{Format: "zig compiler"}},
}

var native = Ecosystem{
	Name: "c", Title: "C", Extensions: "c h cc cpp cxx hpp hh hxx",
	Roots: "CMakeLists.txt|meson.build|Makefile|configure.ac", Own: "test_* *_test *_tests *_unittest *Test *Tests test-* *-test",
	Cases: `\bTEST(?:_F|_P|_CASE)?\(\s*("[^"]+"|\w+(?:\s*,\s*\w+)?)`,
	Skips: `\bDISABLED_|GTEST_SKIP`,
	Projects: []Project{
		{Files: []string{"CMakeLists.txt"}, Mentions: "enable_testing", Run: "ctest --test-dir build", Counts: cmakeCounts},
		{Files: []string{"CMakeLists.txt"}, Mentions: "include(CTest)", Run: "ctest --test-dir build", Counts: cmakeCounts},
		{Files: []string{"meson.build"}, Run: "meson test -C build", Counts: "meson test|ninja test"},
	},
}

const cmakeCounts = "ctest|cmake --target test|cmake -t test|cmake --target check|cmake -t check|make test|make check|ninja test|ninja check"

var apple = Ecosystem{
	Name: "swift", Title: "Swift", Extensions: "swift",
	Roots: "Package.swift|*.xcodeproj/", Own: "*Tests *Test *Spec",
	Cases:     `func (test\w+)\(|@Test[^{]*?func (\w+)`,
	Skips:     `XCTSkip|\.disabled\(`,
	Tests:     "**/*Tests.swift",
	Manifests: "Package.swift", Resolve: "run `swift build`", Resolvers: "swift|xcodebuild",
	Projects: []Project{{Files: []string{"Package.swift", "Tests/"}, Run: "swift test", Counts: "swift test"}},
}

var zig = Ecosystem{
	Name: "zig", Title: "Zig", Extensions: "zig",
	Roots: "build.zig", Own: "*_test test_*", Inline: "test \"|test {",
	Cases:    `\btest "([^"]+)"`,
	Skips:    `error\.SkipZigTest`,
	Projects: []Project{{Files: []string{"build.zig"}, Mentions: `"test"`, Run: "zig build test", Counts: "zig build test|zig test"}},
}
