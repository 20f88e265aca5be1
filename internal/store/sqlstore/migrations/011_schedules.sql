-- What begins runs of a plan at times that a person has set.
CREATE TABLE schedules (
  n         INTEGER PRIMARY KEY,
  id        TEXT NOT NULL,
  namespace TEXT NOT NULL, -- its project, the same on each machine
  name      TEXT NOT NULL,
  project   TEXT NOT NULL,
  home      TEXT NOT NULL, -- whose daemon fires it
  due_at    INTEGER NOT NULL, -- when a daemon is to look at it; 0: never
  version   INTEGER NOT NULL, -- of its last write
  data      TEXT NOT NULL, -- JSON
  sum       BLOB NOT NULL, -- of the plan's text
  plan      TEXT NOT NULL
);
CREATE UNIQUE INDEX schedules_id ON schedules (id);
CREATE UNIQUE INDEX schedules_name ON schedules (namespace, name);
CREATE INDEX schedules_due ON schedules (due_at) WHERE due_at > 0;
