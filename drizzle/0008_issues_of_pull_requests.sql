-- Open pull requests are on the issues that they close.
INSERT INTO "issue_claims" ("repo_id", "number", "position", "activity_id", "since")
	SELECT "repo_id", closed, row_number() OVER (PARTITION BY "repo_id", closed ORDER BY "created_at", "id"), "id", "created_at"
	FROM "activities", unnest("closes") AS closed
	WHERE status in ('planned', 'active', 'paused', 'blocked', 'draft-pr-open', 'ready-for-review');
--> statement-breakpoint
INSERT INTO "claims" ("repo_id", "place", "kind", "glob", "record_id", "weight")
	SELECT "repo_id", '!' || closed, 0, '', "id", CASE WHEN "blocking" THEN 2 WHEN "risk" IN ('high', 'critical') THEN 1 ELSE 0 END
	FROM "activities", unnest("closes") AS closed
	WHERE status in ('planned', 'active', 'paused', 'blocked', 'draft-pr-open', 'ready-for-review')
	ON CONFLICT DO NOTHING;
