package tools

var nativeTools = []Tool{
	{Names: "ctest", Installed: true, Ecosystem: "c", Does: Tests | Variable | Runner | Reads | Outside, Dry: "-N --show-only --print-labels", Output: Output{Proof: []string{"100% tests passed"}}},
	{Names: "meson", Ecosystem: "c", Does: Outside | Configures, Subs: []Sub{{"test", Tests | Runner}}},
	{Names: "ninja", Ecosystem: "c", Does: Outside, Subs: []Sub{{"test", Tests | Runner}}, Takes: "-C -f -j -k", Folder: "-C --directory", Dry: "-n -t"},
	{Names: "cmake configure", Does: Configures},
	{Names: "clang-format", Versioned: true, Does: Formats, Rewrites: &Rewrites{With: "--in-place", Letters: "i"}},
	{Names: "gcc g++ cc c++ clang clang++ ld", Writes: outputWrites},
	{Names: "nm ldd objdump", Does: Reads},
	{Names: "strings", Does: Reads | Prints, Shows: &Shows{}},
	{Names: "swift", Installed: true, Ecosystem: "swift", Chooses: 1, Does: Subject, Subs: []Sub{{"test", Tests | Runner}}, Takes: "--package-path --filter --scratch-path -c", Project: "--package-path", Dry: "--list-tests --show-bin-path", DrySubs: "test list|test last", Writes: subcommandWrites},
	{Names: "xcodebuild", Ecosystem: "swift", Subs: []Sub{{"test", Tests | Runner}}},
	{Names: "swiftlint", Rewrites: &Rewrites{With: lintFixes, From: 1}},
	{Names: "zig", Installed: true, Ecosystem: "zig", Chooses: 1, Does: Subject, Subs: []Sub{{"build test|test", Tests | Runner}}, Writes: subcommandWrites},
}

var native = Ecosystem{
	Name: "c", Title: "C", Extensions: "c h cc cpp cxx hpp hh hxx",
	Projects: []Project{
		{Files: []string{"CMakeLists.txt"}, Mentions: "enable_testing", Run: "ctest --test-dir build", Counts: "ctest"},
		{Files: []string{"CMakeLists.txt"}, Mentions: "include(CTest)", Run: "ctest --test-dir build", Counts: "ctest"},
		{Files: []string{"meson.build"}, Run: "meson test -C build", Counts: "meson test|ninja test"},
	},
}

var apple = Ecosystem{
	Name: "swift", Title: "Swift", Extensions: "swift",
	Tests:     "**/*Tests.swift",
	Manifests: "Package.swift", Resolve: "run `swift build`", Resolvers: "swift|xcodebuild",
	Projects: []Project{{Files: []string{"Package.swift", "Tests/"}, Run: "swift test", Counts: "swift test"}},
}

var zig = Ecosystem{
	Name: "zig", Title: "Zig", Extensions: "zig",
	Projects: []Project{{Files: []string{"build.zig"}, Mentions: `"test"`, Run: "zig build test", Counts: "zig build test|zig test"}},
}
