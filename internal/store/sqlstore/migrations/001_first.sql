-- Words: docs/spec.md. Times are milliseconds since 1970, 0 is unknown.

CREATE TABLE counters (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
);
INSERT INTO counters (name, value) VALUES ('ordinal', 0);

CREATE TABLE projects (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE aliases (
  kind    TEXT NOT NULL,
  value   TEXT NOT NULL,
  project TEXT NOT NULL REFERENCES projects (id),
  PRIMARY KEY (kind, value)
);

CREATE TABLE sessions (
  id             TEXT PRIMARY KEY,
  agent          TEXT NOT NULL,
  client_id      TEXT NOT NULL,
  project        TEXT NOT NULL,
  seen_at        INTEGER NOT NULL,
  workflow_id    TEXT NOT NULL, -- its own, of type session
  current_id     TEXT NOT NULL, -- the workflow last saved to
  rest           TEXT NOT NULL  -- the other fields, JSON
);
CREATE UNIQUE INDEX sessions_client ON sessions (client_id, agent);

CREATE TABLE turns (
  session_id TEXT NOT NULL,
  n          INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL,
  baseline   BLOB,
  PRIMARY KEY (session_id, n)
);

CREATE TABLE events (
  id            INTEGER PRIMARY KEY,
  at            INTEGER NOT NULL,
  kind          TEXT NOT NULL,
  session_id    TEXT NOT NULL,
  project       TEXT NOT NULL,
  workflow_id   TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  data          TEXT NOT NULL -- JSON or empty
);

CREATE TABLE decisions (
  id         INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  data       TEXT NOT NULL -- JSON
);
CREATE INDEX decisions_session ON decisions (session_id, id);

CREATE TABLE letters (
  id         TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  kind       TEXT NOT NULL,
  due        INTEGER NOT NULL,
  body       TEXT NOT NULL
);

CREATE TABLE workflows (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  type         TEXT NOT NULL,
  project      TEXT NOT NULL,
  session_id   TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  seq          INTEGER NOT NULL, -- the last number given out, never falls
  head_id      TEXT NOT NULL,    -- the highest number over all branches
  head_ordinal INTEGER NOT NULL,
  head_session TEXT NOT NULL,    -- the head's session_id
  closed       INTEGER NOT NULL
);
CREATE UNIQUE INDEX workflows_name ON workflows (project, name) WHERE name <> '';
-- All that counting open work needs, so that a hook reads no row of it.
CREATE INDEX workflows_open ON workflows (project, head_ordinal, head_session) WHERE closed = 0 AND head_id <> '';

CREATE TABLE branches (
  id          INTEGER PRIMARY KEY,
  workflow_id TEXT NOT NULL REFERENCES workflows (id),
  name        TEXT NOT NULL,
  head_id     TEXT NOT NULL,
  appended    INTEGER NOT NULL, -- checkpoints ever appended, never falls
  UNIQUE (workflow_id, name)
);

-- An epoch is 64 consecutive appends of one branch. Blobs are shared inside an
-- epoch and never beyond it, so one bad blob costs at most 64 checkpoints.
CREATE TABLE epochs (
  branch    INTEGER NOT NULL REFERENCES branches (id),
  n         INTEGER NOT NULL,
  next_blob INTEGER NOT NULL,
  PRIMARY KEY (branch, n)
);

CREATE TABLE blobs (
  branch INTEGER NOT NULL,
  epoch  INTEGER NOT NULL,
  n      INTEGER NOT NULL,
  sum    BLOB NOT NULL,
  data   BLOB NOT NULL,
  PRIMARY KEY (branch, epoch, n)
);
CREATE UNIQUE INDEX blobs_sum ON blobs (branch, epoch, sum);

CREATE TABLE checkpoints (
  ordinal       INTEGER PRIMARY KEY,
  id            TEXT NOT NULL,
  workflow_id   TEXT NOT NULL REFERENCES workflows (id),
  branch        INTEGER NOT NULL REFERENCES branches (id),
  branch_name   TEXT NOT NULL,
  epoch         INTEGER NOT NULL,
  seq           INTEGER NOT NULL,
  parent_id     TEXT NOT NULL,
  session_id    TEXT NOT NULL,
  project       TEXT NOT NULL,
  trigger_name  TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  completed_at  INTEGER NOT NULL, -- 0: not completed
  phase_number  INTEGER NOT NULL,
  phase_total   INTEGER NOT NULL,
  state_bytes   INTEGER NOT NULL,
  stored_bytes  INTEGER NOT NULL,
  sum           BLOB NOT NULL,
  damaged       TEXT NOT NULL, -- why, empty: it is not
  tags          TEXT NOT NULL, -- each between line feeds: \na\nb\n
  rest          TEXT NOT NULL  -- the other fields of the record, JSON
);
CREATE UNIQUE INDEX checkpoints_id ON checkpoints (id);
CREATE INDEX checkpoints_workflow ON checkpoints (workflow_id, seq);
CREATE INDEX checkpoints_session ON checkpoints (session_id, ordinal) WHERE session_id <> '';
CREATE INDEX checkpoints_project ON checkpoints (project, ordinal);
CREATE INDEX checkpoints_parent ON checkpoints (parent_id) WHERE parent_id <> '';

CREATE TABLE manifests (
  checkpoint INTEGER PRIMARY KEY REFERENCES checkpoints (ordinal),
  data       BLOB NOT NULL
);
