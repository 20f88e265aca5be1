package client

// ServerName is what Piton's MCP server is called in a client's settings.
const ServerName = "piton"

// ServerTools are the tools of the server that an agent may call without being asked about:
// those that only read, and save, which takes nothing away. Never delete or complete.
var ServerTools = []string{
	"checkpoint_save", "checkpoint_load", "checkpoint_list", "checkpoint_inspect", "checkpoint_search", "checkpoint_diff",
	"undo_list", "undo_preview", "run_list", "run_show", "run_log", "run_waiting",
}

// Server says where a client keeps its MCP servers, and what lets it call their
// tools where nobody is there to be asked. An entry is {"command", "args"} under
// the name of the server.
type Server struct {
	// UserFile is the file of a person's servers, in the client's folder; HomeFile
	// the one in the person's home that takes its place where the client's folder
	// is the usual one, "" for none.
	UserFile, HomeFile string
	// OldFile takes the place of both where it is there, in the client's folder;
	// "" for none.
	OldFile     string
	ProjectFile string // the file of a project's servers, from its root, with slashes
	// Section is the name that the servers stand under.
	Section string
	TOML    bool // the file is TOML, not JSON
	// Locked: the client holds FILE.lock, a folder, while it writes.
	Locked bool
	// Variables are those that Piton reads, where the client hands a server none
	// but those that its entry names (TOML).
	Variables []string
	// Timeout is the most that the client waits for the server, in milliseconds; 0
	// where the client's own is short enough.
	Timeout int

	// Allow is a list in the settings of rules that let calls pass: the names that
	// lead to it, and what a rule is before the tool's name. nil where the client
	// has none.
	Allow     []string
	AllowRule string
	// AllowFile is a file of rules, in a person's folder, with slashes; "" where
	// the client has none. A project has none.
	AllowFile string
	AllowText []byte
	// AllowEach: an entry says of each tool that it may be called (TOML).
	AllowEach bool
}

// Variables are the variables that say where Piton keeps what it saves, and what
// it is set to.
var Variables = []string{"PITON_HOME", "PITON_STORE", "XDG_STATE_HOME", "XDG_CONFIG_HOME"}

// Rules are the rules in the list Allow, one a tool.
func (s Server) Rules() []string {
	if s.Allow == nil {
		return nil
	}
	var list []string
	for _, tool := range ServerTools {
		list = append(list, s.AllowRule+tool)
	}
	return list
}
