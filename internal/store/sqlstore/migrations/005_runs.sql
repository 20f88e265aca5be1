CREATE TABLE runs (
  n             INTEGER PRIMARY KEY, -- the order they began in
  id            TEXT NOT NULL,
  workflow_id   TEXT NOT NULL,
  branch        TEXT NOT NULL,
  project       TEXT NOT NULL,
  plan_sum      TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL, -- its newest
  status        TEXT NOT NULL,
  ended         INTEGER NOT NULL, -- whether the status is one of an end
  wish          TEXT NOT NULL,
  fence         INTEGER NOT NULL,
  lease_until   INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  owner         TEXT NOT NULL, -- JSON, empty: nobody
  about         TEXT NOT NULL, -- what never changes, JSON
  progress      TEXT NOT NULL  -- what each save changes, JSON
);
CREATE UNIQUE INDEX runs_id ON runs (id);
CREATE UNIQUE INDEX runs_open ON runs (workflow_id, branch) WHERE ended = 0;
CREATE INDEX runs_workflow ON runs (workflow_id);
CREATE INDEX runs_project ON runs (project);

-- Apart from the runs, which are written at each step.
CREATE TABLE run_plans (
  run_id TEXT PRIMARY KEY,
  sum    BLOB NOT NULL,
  data   TEXT NOT NULL -- JSON
);

CREATE TABLE run_answers (
  n       INTEGER PRIMARY KEY, -- their order
  run_id  TEXT NOT NULL,
  step_id TEXT NOT NULL,
  shown   TEXT NOT NULL,
  data    TEXT NOT NULL, -- JSON
  UNIQUE (run_id, step_id, shown)
);
