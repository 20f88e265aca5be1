package tools

// Functions of rows look up other rows, which Go does not allow in an initialiser
// of the table.
func init() {
	families = [][]Tool{taskTools, goTools, nodeTools, pythonTools, rustTools, jvmTools, rubyTools, phpTools, nativeTools, csharpTools, otherTools,
		gitTools, serviceTools, systemTools, fileTools, shellTools}
	Ecosystems = []*Ecosystem{&golang, &node, &python, &rust, &java, &ruby, &php, &native, &csharp, &elixir, &apple, &dart, &zig, &haskell, &clojure, &bats, &rlang, &julia, &lua, &solidity}
}

// Settings are those of all tools.
var Settings = []Setting{pythonSetting, npmSetting, rustSetting}

// ConfigFiles are files beside those of Targets that may say how tests are run.
const ConfigFiles = npmConfig + " " + pythonConfig + " " + rustConfig

// Umbrellas are projects of no ecosystem.
var Umbrellas = []Project{{Files: []string{"MODULE.bazel|WORKSPACE|WORKSPACE.bazel"}, Run: "bazel test //...", Counts: "bazel test|bazelisk test"}}
