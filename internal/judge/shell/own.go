package shell

import "strings"

// tools are programs that are installed and never part of a project. One of
// their name that lies in the work tree, or in a temporary folder, is another.
const tools = "go gofmt gotestsum gotest ginkgo cargo make gmake npm pnpm npx node nodejs deno bun bunx python python3 pytest py.test tox nox uv ruby rake rspec bundle composer php dotnet mix swift dart flutter zig stack cabal ctest just task jest vitest mocha bats docker podman"

// ownProgram reports whether a head word with a folder before it names a
// program of the work tree, or of a temporary folder, that only bears a tool's
// name: ./go. Folders for programs (.venv/bin, node_modules/.bin) hold tools.
func ownProgram(word string) bool {
	at := strings.LastIndexByte(word, '/')
	if at <= 0 || strings.ContainsRune("~$`", rune(word[0])) {
		return false
	}
	dir := word[:at]
	temporary := strings.HasPrefix(dir+"/", "/tmp/") || strings.HasPrefix(dir+"/", "/var/tmp/") || strings.HasPrefix(dir+"/", "/dev/shm/")
	if !among(tools, word[at+1:]) || temporary {
		return temporary && among(tools, word[at+1:])
	}
	if host, _, _ := strings.Cut(dir, "/"); dir[0] != '.' && strings.ContainsAny(host, ".:") { // a module's path, C:
		return false
	}
	return dir[0] != '/' && !among("bin .bin Scripts sbin shims", dir[strings.LastIndexByte(dir, '/')+1:])
}
