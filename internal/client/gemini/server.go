package gemini

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/piton-project/piton/internal/client"
)

// serverOn: nobody has switched the MCP server off.
func serverOn(x *client.Exam) client.Check {
	const name = "MCP allowed"
	for _, f := range x.Files {
		var off, only []string
		if json.Unmarshal([]byte(f.Setting("mcp", "excluded")), &off) == nil && slices.Contains(off, client.ServerName) {
			return client.Warn(name, f.Path+" has "+client.ServerName+" in mcp.excluded", "remove it there, if you want it")
		}
		if json.Unmarshal([]byte(f.Setting("mcp", "allowed")), &only) == nil && len(only) > 0 && !slices.Contains(only, client.ServerName) {
			return client.Warn(name, f.Path+" has mcp.allowed without "+client.ServerName, "add it there, if you want it")
		}
	}
	path := filepath.Join(x.ConfigDir, "mcp-server-enablement.json")
	text, err := x.Read(path)
	var states map[string]struct {
		Enabled *bool `json:"enabled"`
	}
	if err == nil && json.Unmarshal(text, &states) == nil {
		if on := states[client.ServerName].Enabled; on != nil && !*on {
			return client.Warn(name, "switched off in "+path, "'/mcp enable "+client.ServerName+"' in Gemini CLI, if you want it")
		}
	}
	return client.Pass(name, "nobody has switched it off")
}
