-- Reads and writes continue meanwhile. A constraint that an older row violates stays NOT VALID; deconflict-admin verify names such rows.
DO $$
DECLARE
	pending record;
BEGIN
	FOR pending IN
		SELECT conrelid::regclass AS tbl, conname FROM pg_constraint
		WHERE contype = 'c' AND NOT convalidated AND conrelid = ANY (ARRAY[
			'activities'::regclass, 'notables'::regclass, 'pull_requests'::regclass,
			'idempotency_keys'::regclass, 'repositories'::regclass, 'jobs'::regclass])
		ORDER BY conrelid, conname
	LOOP
		BEGIN
			EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', pending.tbl, pending.conname);
		EXCEPTION WHEN check_violation THEN
			RAISE NOTICE '% stays NOT VALID', pending.conname;
		END;
	END LOOP;
END $$;
