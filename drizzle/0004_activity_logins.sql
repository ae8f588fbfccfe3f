ALTER TABLE "activities" ADD COLUMN "created_by" text;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "archived_by" text;