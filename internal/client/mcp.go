package client

import (
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// mcpPrefix begins the name of every tool of an MCP server: mcp__SERVER__TOOL, and
// mcp_SERVER_TOOL in Gemini CLI.
const mcpPrefix = "mcp_"

// mcpTools are the tools of MCP servers that write files or run commands, by their
// own name: those of the servers that agents are given most (filesystem, Serena,
// terminals, editors). What a tool of another name writes is told by the files.
var mcpTools = map[agent.CallKind]string{
	agent.CallEdit: "write_file edit_file create_file create_text_file append_file patch_file apply_patch move_file rename_file delete_file remove_file copy_file " +
		"replace_content replace_regex replace_lines delete_lines insert_at_line replace_symbol_body insert_after_symbol insert_before_symbol rename_symbol safe_delete_symbol " +
		"str_replace str_replace_editor edit_block write_pdf replace_text_in_file replace_file_text_by_path create_new_file create_new_file_with_text rename_refactoring reformat_file",
	agent.CallShell: "execute_shell_command execute_command run_command run_shell_command run_in_terminal execute_terminal_command run_terminal_command shell_exec bash start_process",
}

// pathKeys are the arguments by which such tools name files.
const pathKeys = "path file_path filePath relative_path pathInProject file filename filepath target_file source destination new_path paths"

// MCP tells what a tool of an MCP server does by its own name, the command that it
// runs, and the files that it names. CallOther where its name says nothing.
func MCP(tool string, args []byte) (kind agent.CallKind, command string, paths []string) {
	parts := strings.Split(tool, "__")
	name := parts[len(parts)-1]
	kind = agent.CallOther
	for of, names := range mcpTools {
		for n := range strings.FieldsSeq(names) {
			if n == name || strings.HasPrefix(tool, mcpPrefix) && strings.HasSuffix(tool, "_"+n) {
				kind = of
			}
		}
	}
	for key, value := range rawjson.Members(args) {
		switch {
		case kind == agent.CallShell && (string(key) == "command" || string(key) == "cmd"):
			command = rawjson.Text(value)
		case kind == agent.CallEdit && slices.Contains(strings.Fields(pathKeys), string(key)):
			paths = append(paths, rawjson.Text(value))
			for one := range rawjson.Elements(value) {
				paths = append(paths, rawjson.Text(one))
			}
		}
	}
	return kind, command, slices.DeleteFunc(paths, func(p string) bool { return p == "" })
}
