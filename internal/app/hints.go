package app

// Hints that every door words in its own way: the command line names its flags
// instead.
const (
	HintNoStore       = "save something with 'piton save', or name another store: PITON_STORE, the setting store or PITON_HOME"
	HintNoSharedStore = "save something with 'piton save', or name another store: PITON_STORE or the setting store"
	HintFolder        = "give a folder that exists"
	HintWorkflow      = "a name belongs to its project: name the project's folder, or give the id that 'piton list --json' shows"
)
