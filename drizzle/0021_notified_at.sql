ALTER TABLE "notables" ADD COLUMN "notified_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pairs" ADD COLUMN "notified_at" timestamp (3) with time zone;