package tools

// Functions of rows look up other rows, which Go does not allow in an initialiser
// of the table.
func init() {
	families = [][]Tool{taskTools, goTools, nodeTools, pythonTools, rustTools, jvmTools, rubyTools, phpTools, nativeTools, dotnetTools, otherTools,
		gitTools, serviceTools, systemTools, fileTools, shellTools}
}
