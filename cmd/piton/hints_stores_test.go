package main

import (
	"slices"
	"strings"
)

// saved is a store with one checkpoint, depot one in a folder of files.
var (
	saved    = []string{"save --workflow w --state s.json"}
	twice    = []string{"save --workflow w --state s.json", "write s2.json {\"b\":2}", "save --workflow w --state s2.json"}
	older    = slices.Concat(saved, []string{"sql PRAGMA journal_mode=DELETE", "copy $DIR/state/piton.db $DIR/old.db", "save --workflow w --state s.json", "sql PRAGMA journal_mode=DELETE", "copy $DIR/old.db $DIR/state/piton.db"})
	cold     = []string{"env PITON_CHECKPOINTS_WARM_FOR=1ms", "env PITON_CHECKPOINTS_OPEN_FOR=1ms", "env PITON_CHECKPOINTS_ARCHIVE=$DIR/cold"}
	archived = slices.Concat(cold, twice, []string{"complete --workflow w", "prune", "exec sh -c 'for f in $DIR/cold/*.zst; do echo x >$f; done'"})
	depot    = slices.Concat([]string{"env PITON_STORE=file:$DIR/depot"}, twice)
)

// situationsOfStores are those of stores and of what comes into them.
var situationsOfStores = []situation{
	{name: "the store is not a database", before: []string{"write $DIR/state/piton.db a text"}, gives: "list", from: "internal/store/sqlite/error.go", second: []string{"remove $DIR/state/piton.db"}},
	{name: "nothing can be read of the store", before: []string{"write $DIR/state/piton.db a text"}, gives: "repair", from: "internal/store/repair/repair.go", then: []string{"remove $DIR/state/piton.db"}},
	{name: "the store is empty and its log is not", before: []string{"write $DIR/state/piton.db ", "write $DIR/state/piton.db-wal x"}, gives: "list", from: "internal/store/sqlite/sqlite.go", second: []string{"remove $DIR/state/piton.db-wal"}},
	{name: "the store is gone", before: slices.Concat(saved, []string{"remove $DIR/state/piton.db", "remove $DIR/state/piton.db-wal", "remove $DIR/state/piton.db-shm"}), gives: "list", from: "internal/store/sqlite/mark.go"},
	{name: "the store is older than it was", before: older, gives: "repair", from: "cmd/piton/repair.go internal/store/sqlite/mark.go"},
	{name: "the store is of a later version", before: slices.Concat(saved, []string{"sql UPDATE piton_schema SET version = 99, oldest_writer = 99"}), gives: "list", from: "internal/store/sqlstore/migrate.go"},
	{name: "another program's database", before: []string{"write $DIR/state/x", "sql CREATE TABLE cats (name TEXT)"}, gives: "list", from: "internal/store/sqlstore/migrate.go"},
	{name: "an index is damaged", before: slices.Concat(twice, []string{"sql UPDATE checkpoints SET parent_id = 'chk_0000000000000000' WHERE id = '$2'"}), gives: "verify", from: "cmd/piton/verify.go"},
	{name: "what verify cannot repair", before: older, gives: "verify --repair", from: "cmd/piton/verify.go"},
	{name: "doctor finds damage", before: slices.Concat(twice, []string{"sql UPDATE checkpoints SET parent_id = 'chk_0000000000000000' WHERE id = '$2'"}), gives: "doctor", from: "internal/app/doctor_stores.go"},
	{name: "all states are damaged", before: slices.Concat(twice, []string{"sql UPDATE manifests SET data = x'00'"}), gives: "load --workflow w", from: "internal/history/load.go"},
	{name: "the state of an inspected checkpoint is damaged", before: slices.Concat(twice, []string{"sql UPDATE manifests SET data = x'00' WHERE checkpoint > (SELECT MIN(checkpoint) FROM manifests)"}), gives: "inspect $2 --json --state", from: "internal/app/load.go"},
	{name: "a folder that is not there", before: []string{"env PITON_STORE=file:$DIR/none"}, gives: "list", from: "internal/app/caller/shared.go"},
	{name: "a folder in which a file was set aside", before: slices.Concat(depot, []string{"write $DIR/depot/store.json.damaged-1 x"}), gives: "list", from: "internal/app/caller/shared.go"},
	{name: "doctor on a folder in which a file was set aside", before: slices.Concat(depot, []string{"write $DIR/depot/store.json.damaged-1 x"}), gives: "doctor", from: "internal/app/doctor_stores.go"},
	{name: "the state of an inspected file is damaged", before: slices.Concat(depot, []string{"exec sh -c 'sed -i.old s/\\\"b\\\":2/\\\"b\\\":3/ $DIR/depot/checkpoints/*'"}), gives: "inspect $2 --json --state", from: "internal/store/filestore/read.go"},
	{name: "a store of files is to be repaired", before: depot, gives: "repair --store file:$DIR/depot", from: "internal/app/purge.go"},
	{name: "flush to a store that is not the configured one", before: saved, gives: "flush --store file:$DIR/other", from: "internal/app/flush.go", with: "FILE=all.zst", steps: true},
	{name: "an export has numbers that no store gives", before: slices.Concat(saved, []string{"sql UPDATE checkpoints SET seq = 9007199254740993", "sql UPDATE workflows SET seq = 9007199254740993", "sql UPDATE checkpoints SET seal = NULL", "export --all --output bad.zst", "env PITON_HOME=$DIR/second"}), gives: "import bad.zst", from: "internal/history/import.go", second: []string{"env PITON_HOME=$DIR/state"}},
	{name: "a store of files is imported", before: depot, gives: "import $DIR/depot/checkpoints", from: "internal/store/archive/importer.go", with: "file:DIR=file:$DIR/depot FILE=all.zst"},
	{name: "a state of a known kind that does not fit", before: []string{`write odd.json {"current_step_index":0,"plan":5}`}, gives: "save --workflow p --type plan --state odd.json", from: "internal/kind/validate.go"},
	{name: "the name of a workflow is given for a checkpoint", before: saved, gives: "load w", from: "internal/history/find.go"},
	{name: "a project that was never seen", before: []string{"save --workflow w --state s.json", "write $DIR/else/.git/HEAD ref: refs/heads/main", "cd $DIR/else"}, gives: "resume", from: "internal/history/resume.go"},
	{name: "nothing is to be resumed, and something else is unfinished", before: []string{"save --workflow w --state s.json", "complete --workflow w", `write $DIR/home/.claude/settings.json {"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/gone/piton-hook claude 2>/dev/null || :"}]}]}}`}, gives: "resume", from: "internal/app/resume.go"},
	{name: "a run that asks is resumed as work", before: []string{"! run ask.yaml"}, gives: "resume", from: "internal/states/brief.go"},
	{name: "a checkpoint is resumed", before: []string{"save --workflow w --state s.json"}, gives: "resume", from: "internal/states/brief.go"},
	{name: "a checkpoint of a named store is resumed", before: []string{"save --workflow w --state s.json --store sqlite:other.db"}, gives: "resume --store sqlite:other.db", from: "internal/states/brief.go"},
	{name: "a run is resumed as work", before: []string{"! run failing.yaml"}, gives: "resume", from: "internal/states/brief.go", then: []string{"write ok"}},
	{name: "what a store imports is old", before: slices.Concat(saved, []string{"env PITON_CHECKPOINTS_WARM_FOR=1ms", "env PITON_CHECKPOINTS_OPEN_FOR=1ms", "export --all --output all.zst", "env PITON_HOME=$DIR/second"}), gives: "import all.zst", from: "cmd/piton/import.go"},
	{name: "two lines of one workflow come together", before: []string{"save --workflow w --state s.json", "export --all --output one.zst", "save --workflow w --state s.json", "export --all --output two.zst", "env PITON_HOME=$DIR/second", "import one.zst", "save --workflow w --state s.json"}, gives: "import two.zst", from: "cmd/piton/import.go"},
	{name: "a file that is not an export", before: []string{"write bad.zst x"}, gives: "import bad.zst", from: "internal/store/archive/importer.go internal/store/archive/decode.go"},
	{name: "a letter that does not exist", before: saved, gives: "letters drop ltr_0000000000000000", from: "internal/store/sqlstore/letters.go"},
	{name: "a run that does not exist is shown", before: []string{"run plan.yaml"}, gives: "runs show run_0000000000000000", from: "internal/store/runrules.go internal/app/planruns/find.go"},
	{name: "a file of the archive is damaged", before: archived, gives: "inspect $1 --json --state", from: "internal/store/archive/file.go"},
	{name: "a file of the archive is a folder", before: slices.Concat(archived, []string{"exec sh -c 'for f in $DIR/cold/*.zst; do rm $f; mkdir $f; done'"}), gives: "inspect $1 --json --state", from: "internal/store/archive/folder.go"},
	{name: "prune had no time", before: slices.Concat(cold, twice, []string{"complete --workflow w"}), gives: "prune --max-time 1ns", from: "cmd/piton/prune.go"},
	{name: "more decisions than a brief shows", before: []string{`write many.json {"decisions":["x"` + strings.Repeat(`,"y"`, 40) + "]}", "save --workflow w --state many.json"}, gives: "resume", from: "internal/states/brief.go"},
	{name: "a page of the store is damaged", before: slices.Concat(saved, []string{"sql PRAGMA journal_mode=DELETE", "exec dd if=/dev/zero of=$DIR/state/piton.db bs=1 seek=100 count=1 conv=notrunc"}), gives: "repair", from: "cmd/piton/repair.go"},
	{name: "verify finds a damaged state", before: slices.Concat(saved, []string{"sql UPDATE manifests SET data = x'00'"}), gives: "verify", from: "cmd/piton/verify.go"},
}
