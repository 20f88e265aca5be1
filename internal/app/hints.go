package app

// Hints that every door words in its own way: the command line names its flags
// instead.
const (
	HintNoStore       = "save something with 'piton save', or name another store: PITON_STORE, the setting store or PITON_HOME"
	HintNoSharedStore = "save something with 'piton save', or name another store: PITON_STORE or the setting store"
	HintFolder        = "give a folder that exists"
	HintWorkflow      = "a name belongs to its project: name the project's folder, or give the id that 'piton list --json' shows"
	HintDamagedState  = "without the state the rest is shown; 'piton load' can load the nearest intact ancestor"
	HintNoProject     = "name another folder, or ask for all projects"
	HintDatabase      = "name the local file: PITON_STORE or the setting store, sqlite:PATH; or PITON_HOME"
	HintOneOff        = "name it in PITON_STORE or in the setting store; to copy checkpoints once, export them and import them there"
	HintScope         = "the scope is user or project"
	HintNoClient      = "install one, or name it all the same"
	HintOtherClients  = "name the others"
	HintTrusts        = "'piton config' shows what counts here"
)
