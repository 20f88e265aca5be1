package claude

import (
	"encoding/json"
	"slices"

	"github.com/piton-project/piton/internal/client"
)

// serverOn: nobody has switched the MCP server off, here or for all.
func serverOn(x *client.Exam) client.Check {
	const name = "MCP allowed"
	for _, f := range x.Files {
		if names(f.Setting("deniedMcpServers")) {
			return client.Warn(name, f.Path+" has "+client.ServerName+" in deniedMcpServers", "remove it there, if you want it")
		}
		if list := f.Setting("allowedMcpServers"); f.Scope == "managed" && list != "" && !names(list) {
			return client.Warn(name, f.Path+" allows other MCP servers only", "ask the administrator to allow "+client.ServerName)
		}
		var off []string
		if json.Unmarshal([]byte(f.Setting("disabledMcpjsonServers")), &off) == nil && slices.Contains(off, client.ServerName) {
			return client.Warn(name, f.Path+" has "+client.ServerName+" in disabledMcpjsonServers", "remove it there, if you want the project's")
		}
	}
	text, err := x.Read(x.ServerFile)
	var state struct {
		Projects map[string]struct {
			Off []string `json:"disabledMcpServers"`
		} `json:"projects"`
	}
	if err == nil && x.Project != "" && json.Unmarshal(text, &state) == nil {
		for _, folder := range []string{x.Project, client.RealPath(x.Project)} {
			if slices.Contains(state.Projects[folder].Off, client.ServerName) {
				return client.Warn(name, "switched off in "+folder, "'/mcp enable "+client.ServerName+"' in Claude Code, if you want it")
			}
		}
	}
	return client.Pass(name, "nobody has switched it off")
}

// names reports whether a list of servers names Piton's.
func names(list string) bool {
	type server struct {
		Name string `json:"serverName"`
	}
	var servers []server
	if json.Unmarshal([]byte(list), &servers) != nil {
		return false
	}
	return slices.ContainsFunc(servers, func(s server) bool { return s.Name == client.ServerName })
}
