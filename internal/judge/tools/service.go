package tools

import (
	"slices"
	"strings"
)

// serviceTools speak with containers, clouds, databases and servers.
var serviceTools = []Tool{
	{
		Names: "docker", Aliases: "podman", Installed: true, Chooses: 1, Groups: "compose container image volume network system builder buildx", Does: Subject,
		Subs: []Sub{
			{"ps|images", Prints | Testless}, {"logs|inspect", Prints}, {"build", Installs | Builds | Testless}, {"pull", Installs | Testless}, {"version|info", Testless},
			{"compose pull", Installs}, {"compose build", Installs | Builds}, {"buildx build|image build|buildx bake", Builds},
		},
		Takes: "-f -p --file --project-name --project-directory --profile --env-file -H --host --context --config", Before: true, Away: Container,
		Wraps: []Wrap{
			{Sub: "compose exec", Takes: "-u --user -w --workdir -e --env --index", Skip: 1},
			{Sub: "compose run", Takes: "-u --user -w --workdir -e --env -v --volume -p --publish -l --label --name --entrypoint", Skip: 1},
			{Sub: "exec", Takes: "-u --user -w --workdir -e --env --env-file", Skip: 1},
			{Sub: "run", Takes: "-u --user -w --workdir -e --env --env-file -v --volume -p --publish -l --label --name --entrypoint --network --mount --platform -m --memory --cpus -h --hostname", Skip: 1, Image: true},
		},
		Writes: dockerWrites,
		Risks: []Risk{
			{Kind: DestroyData, Sub: "system prune|volume prune|image prune|container prune|network prune|builder prune|volume rm|volume remove"},
			{Kind: DestroyData, Sub: "compose down", Flags: "--volumes", Letters: "v"},
		},
	},
	{Names: "buildah", Does: Builds},
	{Names: "lima", Away: Container, Wraps: []Wrap{{}}},
	{Names: "wsl", Away: Container, Wraps: []Wrap{{Takes: "-d --distribution -u --user --cd"}}},
	{Names: "devcontainer", Away: Container, Wraps: []Wrap{{Sub: "exec", Takes: "--workspace-folder --config --container-id --id-label --remote-env"}}},
	{Names: "toolbox", Away: Container, Wraps: []Wrap{{Sub: "run", Takes: "-c --container -d --distro -r --release"}}},
	{Names: "distrobox", Away: Container, Wraps: []Wrap{{Sub: "enter", Dashes: true}}},
	{Names: "flatpak-spawn", Wraps: []Wrap{{}}},
	{
		Names: "kubectl", Chooses: 1, Does: Reads | Subject, Subs: []Sub{{"get|describe|logs", Prints}}, Takes: "-n --namespace --context --kubeconfig --cluster --user -l --selector",
		Away: Machine, Wraps: []Wrap{{Sub: "exec", Dashes: true}}, Risks: []Risk{{Kind: Infrastructure, Sub: "delete|drain"}},
	},
	{Names: "helm", Chooses: 1, Does: Reads | Subject, VersionOf: true, Takes: "-n --namespace --kube-context --kubeconfig", Risks: []Risk{{Kind: Infrastructure, Sub: "uninstall|delete"}}},
	{
		Names: "terraform", Aliases: "tofu", Chooses: 1, Does: Subject, Subs: []Sub{{"fmt", Formats}, {"version", Testless}}, Folder: "-chdir", Dry: "-help", Writes: subcommandWrites, Risks: destroys,
	},
	{Names: "pulumi", Risks: destroys},
	{Names: "aws", Does: Subject, Risks: []Risk{{Kind: DestroyData, Sub: "s3 rm", Flags: "--recursive"}, {Kind: DestroyData, Sub: "s3 rb", Flags: "--force"}}},
	{Names: "gsutil", Risks: []Risk{{Kind: DestroyData, Sub: "rm", Letters: "rR"}}},
	{Names: "gcloud az", Does: Subject, Risks: []Risk{{Kind: Infrastructure, Any: "delete"}}},
	{Names: "systemctl", Chooses: 1, Does: Reads | Subject, Subs: []Sub{{"is-active", Asks}, {"status", Prints}}},
	{Names: "supervisorctl pm2", Chooses: 1},

	{Names: "psql mysql mariadb", Does: Reads | Database},
	{Names: "usql duckdb sqlite3 sqlite cockroach clickhouse-client clickhouse sqlcmd", Does: Database},
	{Names: "dropdb", Risks: []Risk{{Kind: DestroyData}}},
	{Names: "mysqladmin", Risks: []Risk{{Kind: DestroyData, Any: "drop"}}},
	{Names: "redis-cli", Does: Reads | Talks, Risks: []Risk{{Kind: DestroyData, Any: "FLUSHALL FLUSHDB flushall flushdb"}}},
	{Names: "mongosh mongo", RiskIf: mongoRisk},
	{Names: "pg_isready", Does: Reads | Probes},

	{Names: "curl wget", Does: Talks | Testless, Writes: outputWrites},
	{Names: "http https ncat telnet grpcurl websocat", Does: Talks},
	{Names: "ping", Does: Reads | Talks | Testless},
	{Names: "nc dig nslookup host", Does: Reads | Talks},
	{Names: "openssl", Subs: []Sub{{"s_client", Talks}}},
}

var destroys = []Risk{{Kind: Infrastructure, Sub: "destroy"}, {Kind: Infrastructure, Flags: "-destroy --destroy"}}

func mongoRisk(c Call) string {
	if text := strings.Join(append(c.Values("--eval"), c.Operands...), " "); strings.Contains(text, ".drop") || strings.Contains(text, ".deleteMany({})") {
		return DestroyData
	}
	return ""
}

func dockerWrites(c Call) (named []string, others bool) {
	switch c.Operand(0) {
	case "cp":
		if to := c.Operand(2); to != "" && !strings.Contains(to, ":") {
			return []string{to}, true
		}
	case "run", "exec", "init":
		return nil, true
	case "compose":
		return nil, Among("run exec cp", c.Operand(1))
	}
	return nil, false
}

// ComposeFiles are those that words tell docker compose to read, as written.
func ComposeFiles(words []string) (files []string) {
	for i, word := range words {
		flag, value, joined := strings.Cut(word, "=")
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		switch {
		case Among("exec run", word):
			return files
		case Among("-f --file", flag):
			files = append(files, value)
		case flag == "--project-directory": // where paths are then seen from is not followed
			files = append(files, "$"+value)
		}
	}
	return files
}

// Mounts are the folders of this machine that words tell a container to mount.
func Mounts(words []string) (all []string) {
	const flags = "-v --volume --mount --volumes-from"
	for i, word := range words {
		switch flag, value, joined := strings.Cut(word, "="); {
		case Among(flags, flag) && joined:
			all = append(all, mountSource(value))
		case Among(flags, word):
			all = append(all, mountSource(slices.Concat(words[i+1:], []string{""})[0]))
		case strings.HasPrefix(word, "-v") && !strings.HasPrefix(word, "--"):
			all = append(all, mountSource(word[2:]))
		}
	}
	return all
}

func mountSource(mount string) string {
	for part := range strings.SplitSeq(mount, ",") {
		if name, value, ok := strings.Cut(part, "="); ok && Among("source src", name) {
			return value
		}
	}
	if len(mount) > 2 && mount[1] == ':' {
		return mount // C:\x
	}
	mount, _, _ = strings.Cut(mount, ":")
	return mount
}
