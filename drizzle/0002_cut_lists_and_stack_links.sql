ALTER TABLE "activities" ADD COLUMN "changes_complete" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "branch_commits" ADD COLUMN "is_uncertain" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "branch_links" ADD COLUMN "sha" text collate "C";