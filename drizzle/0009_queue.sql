CREATE TABLE "installations" (
	"installation_id" bigint PRIMARY KEY NOT NULL,
	"reads_paused_until" timestamp (3) with time zone,
	"writes_paused_until" timestamp (3) with time zone,
	"next_write_at" timestamp (3) with time zone,
	"writes_until" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "priority" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "owner" text collate "C" DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "step" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "write_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "jobs_turns" ON "jobs" USING btree ("priority","owner","run_at") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "jobs_steps" ON "jobs" USING btree ("repo_id","step") WHERE state = 'pending' and step > 0;