ALTER TABLE "jobs" ADD COLUMN "caused_by" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "traceparent" text;