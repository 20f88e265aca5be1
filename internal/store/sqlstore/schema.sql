-- What the migrations make together; written by 'go test ./internal/store/sqlite -run TestSchemaIs -update'.
CREATE TABLE counters (
name TEXT PRIMARY KEY,
value INTEGER NOT NULL
);
CREATE TABLE projects (
id TEXT PRIMARY KEY,
name TEXT NOT NULL,
created_at INTEGER NOT NULL
);
CREATE TABLE aliases (
kind TEXT NOT NULL,
value TEXT NOT NULL,
project TEXT NOT NULL REFERENCES projects (id),
PRIMARY KEY (kind, value)
);
CREATE TABLE sessions (
id TEXT PRIMARY KEY,
agent TEXT NOT NULL,
client_id TEXT NOT NULL,
project TEXT NOT NULL,
seen_at INTEGER NOT NULL,
workflow_id TEXT NOT NULL,
current_id TEXT NOT NULL,
rest TEXT NOT NULL
);
CREATE UNIQUE INDEX sessions_client ON sessions (client_id, agent);
CREATE TABLE turns (
session_id TEXT NOT NULL,
n INTEGER NOT NULL,
started_at INTEGER NOT NULL,
ended_at INTEGER NOT NULL,
baseline BLOB,
PRIMARY KEY (session_id, n)
);
CREATE TABLE events (
id INTEGER PRIMARY KEY,
at INTEGER NOT NULL,
kind TEXT NOT NULL,
session_id TEXT NOT NULL,
project TEXT NOT NULL,
workflow_id TEXT NOT NULL,
checkpoint_id TEXT NOT NULL,
data TEXT NOT NULL
);
CREATE TABLE decisions (
id INTEGER PRIMARY KEY,
at INTEGER NOT NULL,
session_id TEXT NOT NULL,
data TEXT NOT NULL
);
CREATE INDEX decisions_session ON decisions (session_id, id);
CREATE TABLE letters (
id TEXT PRIMARY KEY,
session_id TEXT NOT NULL,
kind TEXT NOT NULL,
due INTEGER NOT NULL,
body TEXT NOT NULL
, attempts INTEGER NOT NULL DEFAULT 0, done_at INTEGER NOT NULL DEFAULT 0, outcome TEXT NOT NULL DEFAULT '', recipient TEXT NOT NULL DEFAULT '', n INTEGER NOT NULL DEFAULT 0, key TEXT NOT NULL DEFAULT '', critical INTEGER NOT NULL DEFAULT 0, expires INTEGER NOT NULL DEFAULT 0, claim INTEGER NOT NULL DEFAULT 0, claimed INTEGER NOT NULL DEFAULT 0, sent_at INTEGER NOT NULL DEFAULT 0, claimer TEXT NOT NULL DEFAULT '');
CREATE TABLE workflows (
id TEXT PRIMARY KEY,
name TEXT NOT NULL,
type TEXT NOT NULL,
project TEXT NOT NULL,
session_id TEXT NOT NULL,
created_at INTEGER NOT NULL,
seq INTEGER NOT NULL,
head_id TEXT NOT NULL,
head_ordinal INTEGER NOT NULL,
head_session TEXT NOT NULL,
closed INTEGER NOT NULL
);
CREATE UNIQUE INDEX workflows_name ON workflows (project, name) WHERE name <> '';
CREATE INDEX workflows_open ON workflows (project, head_ordinal, head_session) WHERE closed = 0 AND head_id <> '';
CREATE TABLE branches (
id INTEGER PRIMARY KEY,
workflow_id TEXT NOT NULL REFERENCES workflows (id),
name TEXT NOT NULL,
head_id TEXT NOT NULL,
appended INTEGER NOT NULL, from_id TEXT NOT NULL DEFAULT '',
UNIQUE (workflow_id, name)
);
CREATE TABLE epochs (
branch INTEGER NOT NULL REFERENCES branches (id),
n INTEGER NOT NULL,
next_blob INTEGER NOT NULL,
PRIMARY KEY (branch, n)
);
CREATE TABLE blobs (
branch INTEGER NOT NULL,
epoch INTEGER NOT NULL,
n INTEGER NOT NULL,
sum BLOB NOT NULL,
data BLOB NOT NULL,
PRIMARY KEY (branch, epoch, n)
);
CREATE UNIQUE INDEX blobs_sum ON blobs (branch, epoch, sum);
CREATE TABLE checkpoints (
ordinal INTEGER PRIMARY KEY,
id TEXT NOT NULL,
workflow_id TEXT NOT NULL REFERENCES workflows (id),
branch INTEGER NOT NULL REFERENCES branches (id),
branch_name TEXT NOT NULL,
epoch INTEGER NOT NULL,
seq INTEGER NOT NULL,
parent_id TEXT NOT NULL,
session_id TEXT NOT NULL,
project TEXT NOT NULL,
trigger_name TEXT NOT NULL,
created_at INTEGER NOT NULL,
completed_at INTEGER NOT NULL,
phase_number INTEGER NOT NULL,
phase_total INTEGER NOT NULL,
state_bytes INTEGER NOT NULL,
stored_bytes INTEGER NOT NULL,
sum BLOB NOT NULL,
damaged TEXT NOT NULL,
tags TEXT NOT NULL,
rest TEXT NOT NULL
, archive TEXT NOT NULL DEFAULT '', seal BLOB);
CREATE UNIQUE INDEX checkpoints_id ON checkpoints (id);
CREATE INDEX checkpoints_workflow ON checkpoints (workflow_id, seq);
CREATE INDEX checkpoints_session ON checkpoints (session_id, ordinal) WHERE session_id <> '';
CREATE INDEX checkpoints_project ON checkpoints (project, ordinal);
CREATE INDEX checkpoints_parent ON checkpoints (parent_id) WHERE parent_id <> '';
CREATE TABLE manifests (
checkpoint INTEGER PRIMARY KEY REFERENCES checkpoints (ordinal),
data BLOB NOT NULL
);
CREATE INDEX checkpoints_archive ON checkpoints (archive) WHERE archive <> '';
CREATE TABLE mirror (
store TEXT NOT NULL,
project TEXT NOT NULL,
workflow_id TEXT NOT NULL,
record TEXT NOT NULL,
PRIMARY KEY (project, store, workflow_id)
);
CREATE INDEX letters_due ON letters (due) WHERE done_at = 0;
CREATE TABLE verified (
key TEXT PRIMARY KEY,
at INTEGER NOT NULL,
data TEXT NOT NULL
);
CREATE INDEX checkpoints_epoch ON checkpoints (branch, epoch);
CREATE INDEX sessions_current ON sessions (current_id) WHERE current_id <> '';
CREATE TABLE search_gone (
ordinal INTEGER PRIMARY KEY
);
CREATE TABLE runs (
n INTEGER PRIMARY KEY,
id TEXT NOT NULL,
workflow_id TEXT NOT NULL,
branch TEXT NOT NULL,
project TEXT NOT NULL,
plan_sum TEXT NOT NULL,
checkpoint_id TEXT NOT NULL,
status TEXT NOT NULL,
ended INTEGER NOT NULL,
wish TEXT NOT NULL,
fence INTEGER NOT NULL,
lease_until INTEGER NOT NULL,
updated_at INTEGER NOT NULL,
owner TEXT NOT NULL,
about TEXT NOT NULL,
progress TEXT NOT NULL
, namespace TEXT NOT NULL DEFAULT '', name TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX runs_id ON runs (id);
CREATE UNIQUE INDEX runs_open ON runs (workflow_id, branch) WHERE ended = 0;
CREATE INDEX runs_workflow ON runs (workflow_id);
CREATE INDEX runs_project ON runs (project);
CREATE TABLE run_plans (
run_id TEXT PRIMARY KEY,
sum BLOB NOT NULL,
data TEXT NOT NULL
);
CREATE TABLE run_answers (
n INTEGER PRIMARY KEY,
run_id TEXT NOT NULL,
step_id TEXT NOT NULL,
shown TEXT NOT NULL,
data TEXT NOT NULL,
UNIQUE (run_id, step_id, shown)
);
CREATE INDEX letters_queue ON letters ((session_id || ' ' || recipient), n, id) WHERE done_at = 0;
CREATE TABLE start_keys (
scope TEXT NOT NULL,
key TEXT NOT NULL,
sum TEXT NOT NULL,
ref TEXT NOT NULL,
at INTEGER NOT NULL,
PRIMARY KEY (scope, key)
);
CREATE UNIQUE INDEX runs_namespace ON runs (namespace, name, branch) WHERE ended = 0 AND namespace <> '' AND name <> '';
CREATE TABLE run_checkpoints (
checkpoint_id TEXT PRIMARY KEY,
run_id TEXT NOT NULL
);
CREATE TABLE schedules (
n INTEGER PRIMARY KEY,
id TEXT NOT NULL,
namespace TEXT NOT NULL,
name TEXT NOT NULL,
project TEXT NOT NULL,
home TEXT NOT NULL,
due_at INTEGER NOT NULL,
version INTEGER NOT NULL,
data TEXT NOT NULL,
sum BLOB NOT NULL,
plan TEXT NOT NULL
);
CREATE UNIQUE INDEX schedules_id ON schedules (id);
CREATE UNIQUE INDEX schedules_name ON schedules (namespace, name);
CREATE INDEX schedules_due ON schedules (due_at) WHERE due_at > 0;
CREATE TABLE run_artifacts (
run_id TEXT NOT NULL,
sum TEXT NOT NULL,
data BLOB NOT NULL,
PRIMARY KEY (run_id, sum)
);
CREATE INDEX run_checkpoints_run ON run_checkpoints (run_id);
INSERT INTO counters (name, value) VALUES ('ordinal', 0);
