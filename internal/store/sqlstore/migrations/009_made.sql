-- Which checkpoints a runner has written, under its fence. Of the runs that are there the
-- newest one is known.
CREATE TABLE run_checkpoints (
  checkpoint_id TEXT PRIMARY KEY,
  run_id        TEXT NOT NULL
);
INSERT INTO run_checkpoints (checkpoint_id, run_id) SELECT checkpoint_id, MIN(id) FROM runs WHERE checkpoint_id <> '' GROUP BY checkpoint_id;
