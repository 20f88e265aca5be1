package tools

var dotnetTools = []Tool{{
	Names: "dotnet", Installed: true, Ecosystem: "dotnet", Chooses: 1, Paths: true, VersionOf: true, Does: Subject | Variable, Subs: []Sub{{"test", Tests | Runner}, {"build|restore", Testless}},
	Takes: "--project -c --configuration -f --framework --filter -l --logger -v --verbosity", Project: "--project",
	Dry: "--list-tests -t -h", Spell: dotnetWatch, Writes: taskWrites,
}}

func dotnetWatch(ops []string) []string {
	if len(ops) > 1 && ops[0] == "watch" {
		return ops[1:]
	}
	return ops
}
