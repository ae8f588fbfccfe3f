ALTER TABLE "activities" ADD COLUMN "closes" integer[];--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "summary_hash" text;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "closes" integer[];--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "comment_deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "repositories" ADD COLUMN "settings_etag" text;--> statement-breakpoint
ALTER TABLE "repositories" ADD COLUMN "settings_sha" text;--> statement-breakpoint
ALTER TABLE "repositories" ADD COLUMN "settings_pushed_at" timestamp (3) with time zone;