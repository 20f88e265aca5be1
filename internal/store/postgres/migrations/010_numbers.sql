-- Numbers of checkpoints and events come from sequences: no row is locked for them. A
-- number is given before its transaction commits, so a lower one may be seen after a higher.
-- Who must not miss any goes by piton_settled.

-- A program that knows the counter only and is still running is refused.
LOCK TABLE counters, checkpoints, events IN ACCESS EXCLUSIVE MODE;
ALTER TABLE counters ADD CONSTRAINT the_store_needs_a_newer_piton CHECK (name NOT IN ('ordinal', 'search_index')) NOT VALID;
DELETE FROM counters WHERE name IN ('search_index', 'search_counted');

ALTER TABLE checkpoints ALTER COLUMN ordinal DROP IDENTITY;
CREATE SEQUENCE checkpoint_numbers MINVALUE 0 OWNED BY checkpoints.ordinal;
SELECT setval('checkpoint_numbers', GREATEST((SELECT value FROM counters WHERE name = 'ordinal'), (SELECT MAX(ordinal) FROM checkpoints), 0));

CREATE SEQUENCE event_numbers MINVALUE 0 OWNED BY events.id;
SELECT setval('event_numbers', GREATEST(pg_sequence_last_value(pg_get_serial_sequence('events', 'id')::regclass), (SELECT MAX(id) FROM events), 0));

-- Who may write the tables takes numbers too.
GRANT USAGE ON SEQUENCE checkpoint_numbers, event_numbers TO PUBLIC;

-- The next number. The transaction first locks a key, shared, until its end: the last number
-- that was given, which is below each of its own. The key's first half is the sequence, its
-- second half 31 bits of the number. One lock is enough for a transaction.
CREATE FUNCTION piton_next(numbers REGCLASS) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
	locked CONSTANT TEXT := 'piton.locked_' || numbers::oid;
BEGIN
	IF COALESCE(current_setting(locked, true), '') = '' THEN
		PERFORM pg_advisory_xact_lock_shared(numbers::oid::int, (COALESCE(pg_sequence_last_value(numbers), 0) & 2147483647)::int);
		PERFORM set_config(locked, 'yes', true);
	END IF;
	RETURN nextval(numbers);
END $$;

-- The number up to which all are settled: a statement behind this one sees what there is of
-- them, and no more of them will come. The last number is read before the locks: the
-- transaction of a number up to it has its lock by then, or is over. Locks go after what was
-- written is seen. A key that is above the last number is of one that has none up to it.
CREATE FUNCTION piton_settled(numbers REGCLASS) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
	given CONSTANT BIGINT := COALESCE(pg_sequence_last_value(numbers), 0);
	furthest BIGINT;
BEGIN
	SELECT MAX(behind) INTO furthest FROM (SELECT (given - l.objid::bigint) & 2147483647 AS behind FROM pg_locks l
		WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.classid = numbers::oid AND l.granted
		AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())) AS keys WHERE behind < 1073741824;
	RETURN given - COALESCE(furthest, 0);
END $$;

ALTER TABLE events ALTER COLUMN id DROP IDENTITY;
ALTER TABLE events ALTER COLUMN id SET DEFAULT piton_next('event_numbers');

-- What names the counters that a transaction adds to: each of those at work at the same time
-- has its own, so that none waits for another, and few are made. Beyond 64 some share.
CREATE FUNCTION piton_share(counters REGCLASS) RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
	mine TEXT := current_setting('piton.share', true);
BEGIN
	IF COALESCE(mine, '') = '' THEN
		mine := '0';
		FOR i IN 0..63 LOOP
			IF pg_try_advisory_xact_lock(counters::oid::int, i) THEN
				mine := i;
				EXIT;
			END IF;
		END LOOP;
		PERFORM set_config('piton.share', mine, true);
	END IF;
	RETURN CASE mine WHEN '0' THEN '' ELSE E'\t' || mine END;
END $$;
