ALTER TABLE "activities" ADD COLUMN "assignee" text;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "ready_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "own_event_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "is_over_budget" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "repositories" ADD COLUMN "commenting_since" timestamp (3) with time zone;