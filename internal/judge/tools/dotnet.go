package tools

import "strings"

var csharpTools = []Tool{{
	Names: "dotnet", Picks: dotnetPicks, Installed: true, Ecosystem: "dotnet", Chooses: 1, Paths: true, VersionOf: true, Does: Subject | Variable, Subs: []Sub{{"test", Tests | Runner}, {"build|restore", Testless}},
	Takes: "--project -c --configuration -f --framework --filter -l --logger -v --verbosity", Project: "--project",
	Dry: "--list-tests -t -h", Spell: dotnetWatch, Writes: taskWrites,
	Output: Output{Format: "dotnet"},
}}

var csharp = Ecosystem{
	Name: "dotnet", Title: ".NET", Extensions: "cs fs vb",
	Roots: "*.csproj|*.fsproj|*.vbproj", Own: "*Tests *Test *Spec *Specs",
	Cases:     `\[(?:Fact|Theory|Test|TestMethod|TestCase)\b[^{;]*?(?:void|Task) (\w+)\s*\(`,
	Skips:     `\bSkip *=|\[Ignore|Assert\.(?:Ignore|Inconclusive)|\[Explicit`,
	Tests:     "**/*Tests.cs",
	Manifests: "*.csproj *.fsproj Directory.Packages.props", Resolve: "run `dotnet build`", Resolvers: "dotnet",
	TestFile: func(name string) bool { return strings.HasSuffix(name, "proj") && strings.Contains(name, "Test") },
	Projects: []Project{{Files: []string{"*.sln|*.slnx|*.csproj|*.fsproj"}, TestFiles: true, Run: "dotnet test", Counts: "dotnet test"}},
}

func dotnetWatch(ops []string) []string {
	if len(ops) > 1 && ops[0] == "watch" {
		return ops[1:]
	}
	return ops
}
