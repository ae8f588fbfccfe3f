CREATE TABLE "proofs" (
	"repo_id" bigint NOT NULL,
	"first" integer NOT NULL,
	"second" integer NOT NULL,
	"first_head" text collate "C" NOT NULL,
	"second_head" text collate "C" NOT NULL,
	"base" text collate "C" NOT NULL,
	"command_hash" text collate "C" NOT NULL,
	"result" text NOT NULL,
	"log_url" text,
	"reported_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "proofs_pk" PRIMARY KEY("repo_id","first","second","first_head","second_head","command_hash","base"),
	CONSTRAINT "proofs_order_check" CHECK ("proofs"."repo_id" > 0 and 0 < "proofs"."first" and "proofs"."first" < "proofs"."second"),
	CONSTRAINT "proofs_result_check" CHECK ("proofs"."result" in ('passed', 'failed', 'base_failed', 'side_failed'))
);
--> statement-breakpoint
ALTER TABLE "pairs" ADD COLUMN "fails_together" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "proofs_second" ON "proofs" USING btree ("repo_id","second");--> statement-breakpoint
CREATE INDEX "proofs_failed" ON "proofs" USING btree ("repo_id","reported_at") WHERE result = 'failed';--> statement-breakpoint
CREATE INDEX "proofs_reported" ON "proofs" USING btree ("repo_id","reported_at");