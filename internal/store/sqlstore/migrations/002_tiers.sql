-- The archive's file that holds the state; empty: it lies here.
ALTER TABLE checkpoints ADD COLUMN archive TEXT NOT NULL DEFAULT '';
-- The checkpoint a branch was forked from; empty: it began the workflow.
ALTER TABLE branches ADD COLUMN from_id TEXT NOT NULL DEFAULT '';
-- A sum over what never changes of the record; null: written before there was one.
ALTER TABLE checkpoints ADD COLUMN seal BLOB;
CREATE INDEX checkpoints_archive ON checkpoints (archive) WHERE archive <> '';
-- Open heads of another store, so that a hook finds them without a network.
CREATE TABLE mirror (
  store       TEXT NOT NULL,
  project     TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  record      TEXT NOT NULL, -- the checkpoint, JSON
  PRIMARY KEY (project, store, workflow_id)
);
