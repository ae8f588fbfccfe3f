CREATE TABLE "issue_claims" (
	"repo_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"position" integer NOT NULL,
	"activity_id" text collate "C" NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "issue_claims_repo_id_number_position_pk" PRIMARY KEY("repo_id","number","position")
);
--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "issue" integer;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "merged_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "issue_claims_activity" ON "issue_claims" USING btree ("repo_id","activity_id");--> statement-breakpoint
CREATE INDEX "pull_requests_merged" ON "pull_requests" USING btree ("repo_id","merged_at") WHERE merged_at is not null;