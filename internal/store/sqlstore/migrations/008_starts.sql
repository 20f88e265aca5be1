-- What has begun under a caller's key.
CREATE TABLE start_keys (
  scope TEXT NOT NULL,
  key   TEXT NOT NULL,
  sum   TEXT NOT NULL, -- of what was asked for
  ref   TEXT NOT NULL, -- the id of what has begun
  at    INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
);
-- The project that a run belongs to, the same on each machine, and its workflow's name:
-- of two starts at once one begins. Both are empty in runs of older programs.
ALTER TABLE runs ADD COLUMN namespace TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN name TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX runs_namespace ON runs (namespace, name, branch) WHERE ended = 0 AND namespace <> '' AND name <> '';
