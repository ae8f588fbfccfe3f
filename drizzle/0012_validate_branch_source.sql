-- Reads and writes continue meanwhile. If an older row violates the constraint, it stays NOT VALID; deconflict-admin verify names such rows.
DO $$
BEGIN
	ALTER TABLE activities VALIDATE CONSTRAINT activities_kind_check;
EXCEPTION WHEN check_violation THEN
	RAISE NOTICE 'activities_kind_check stays NOT VALID';
END $$;
