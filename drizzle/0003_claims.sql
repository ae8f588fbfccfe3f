CREATE TABLE "claims" (
	"repo_id" bigint NOT NULL,
	"place" text collate "C" NOT NULL,
	"kind" smallint NOT NULL,
	"glob" text collate "C" NOT NULL,
	"record_id" text collate "C" NOT NULL,
	"weight" smallint NOT NULL,
	CONSTRAINT "claims_repo_id_place_kind_glob_record_id_weight_pk" PRIMARY KEY("repo_id","place","kind","glob","record_id","weight")
);
--> statement-breakpoint
CREATE TABLE "tallies" (
	"repo_id" bigint NOT NULL,
	"counted" text NOT NULL,
	"shard" smallint NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "tallies_repo_id_counted_shard_pk" PRIMARY KEY("repo_id","counted","shard")
);
--> statement-breakpoint
CREATE INDEX "claims_record" ON "claims" USING btree ("repo_id","record_id");--> statement-breakpoint
CREATE INDEX "notables_ending" ON "notables" USING btree ("repo_id","applies_until") WHERE status = 'active' and applies_until is not null;
--> statement-breakpoint
-- What is live already claims all of its scope, to be compared whole, until it changes or ends: reading globs takes more than SQL.
INSERT INTO "claims" SELECT "repo_id", '/', 6, '', "id", CASE WHEN "blocking" THEN 2 WHEN "risk" IN ('high', 'critical') THEN 1 ELSE 0 END FROM "activities" WHERE "status" IN ('planned', 'active', 'paused', 'blocked', 'draft-pr-open', 'ready-for-review') AND "scope" <> '{"areas": [], "paths": []}';--> statement-breakpoint
INSERT INTO "claims" SELECT "repo_id", CASE WHEN "is_everywhere" THEN '*' ELSE '/' END, CASE WHEN "is_everywhere" THEN 0 ELSE 6 END, '', "id", CASE WHEN "blocking" OR "importance" IN ('high', 'critical') THEN 2 WHEN "importance" = 'medium' THEN 1 ELSE 0 END FROM (SELECT *, "scope" = '{"areas": [], "paths": []}' AS "is_everywhere" FROM "notables" WHERE "status" = 'active') AS "active";--> statement-breakpoint
INSERT INTO "tallies" SELECT "repo_id", 'act', 0, count(*) FROM "activities" WHERE "status" IN ('planned', 'active', 'paused', 'blocked', 'draft-pr-open', 'ready-for-review') GROUP BY "repo_id";--> statement-breakpoint
INSERT INTO "tallies" SELECT "repo_id", 'ntb', 0, count(*) FROM "notables" WHERE "status" = 'active' GROUP BY "repo_id";--> statement-breakpoint
-- Room on each page for the next version of a row: heartbeats and tallies then touch no index.
ALTER TABLE "activities" SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE "tallies" SET (fillfactor = 50);
