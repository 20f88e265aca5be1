package tools

// shellTools are shells, and the commands that they have built in.
var shellTools = []Tool{
	{Names: "bash sh zsh", Does: Subject, Script: &Interpreter{Takes: "-o -O", Text: "csn", Shell: true, Files: true}},
	{Names: "dash", Script: &Interpreter{Takes: "-o -O", Text: "csn", Shell: true, Files: true}},
	{Names: "ksh ash mksh fish", Script: &Interpreter{Shell: true}},
	{Names: "source .", Does: Trivial | Loud, Script: &Interpreter{Takes: "-o -O", Text: "csn", Files: true}},
	{Names: "true", Does: Reads | Idle | Nothing | Trivial},
	{Names: ":", Does: Reads | Idle | Nothing | Trivial},
	{Names: "false", Does: Reads | Idle | Asks},
	{Names: "echo printf", Does: Reads | Idle | Nothing | Trivial | Loud | Mentions},
	{Names: "test [", Installed: true, Does: Reads | Nothing | Asks},
	{Names: "expr", Does: Reads | Asks},
	{Names: "cd", Does: Reads | Nothing | Trivial | Loud},
	{Names: "pushd popd unset", Does: Reads | Trivial | Loud},
	{Names: "set sleep date", Does: Reads | Nothing | Trivial | Loud},
	{Names: "exit export", Does: Reads | Nothing | Trivial},
	{Names: "return", Does: Reads | Nothing},
	{Names: "pwd", Does: Reads | Nothing | Trivial | Loud | Testless},
	{Names: "umask ulimit", Does: Reads | Loud},
	{Names: "dirs shopt alias break continue shift read getopts local declare jobs fg bg disown times trap wait", Does: Reads},
}
