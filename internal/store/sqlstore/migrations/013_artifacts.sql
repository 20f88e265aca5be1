-- Files that steps of runs have left, each once for a run, as long as a checkpoint of the run
-- is there.
CREATE TABLE run_artifacts (
  run_id TEXT NOT NULL,
  sum    TEXT NOT NULL, -- of the content, hex
  data   BLOB NOT NULL, -- encoded as a blob is
  PRIMARY KEY (run_id, sum)
);
CREATE INDEX run_checkpoints_run ON run_checkpoints (run_id);
