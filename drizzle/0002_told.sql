CREATE TABLE "redeliveries" (
	"guid" text PRIMARY KEY NOT NULL,
	"attempts" integer NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "repositories" ADD COLUMN "labeler_areas" jsonb;--> statement-breakpoint
ALTER TABLE "repositories" ADD COLUMN "branches_after" text;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "base_branch" text;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "comment_refused" text;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "check_refused" text;