CREATE TABLE "merged_changes" (
	"repo_id" bigint NOT NULL,
	"side" text collate "C" NOT NULL,
	"position" integer NOT NULL,
	"path" text NOT NULL,
	"previous_path" text,
	"status" text NOT NULL,
	"blob_sha" text,
	"changed_lines" integer,
	"digest" "bytea",
	CONSTRAINT "merged_changes_repo_id_side_position_pk" PRIMARY KEY("repo_id","side","position")
);
--> statement-breakpoint
CREATE TABLE "noise_pairs" (
	"repo_id" bigint NOT NULL,
	"noise" text NOT NULL,
	"first" text collate "C" NOT NULL,
	"second" text collate "C" NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "noise_pairs_repo_id_noise_first_second_pk" PRIMARY KEY("repo_id","noise","first","second")
);
--> statement-breakpoint
CREATE TABLE "pair_totals" (
	"repo_id" bigint NOT NULL,
	"month" text NOT NULL,
	"outcome" text NOT NULL,
	"pairs" integer NOT NULL,
	CONSTRAINT "pair_totals_repo_id_month_outcome_pk" PRIMARY KEY("repo_id","month","outcome")
);
--> statement-breakpoint
CREATE TABLE "pairs" (
	"repo_id" bigint NOT NULL,
	"first" text collate "C" NOT NULL,
	"second" text collate "C" NOT NULL,
	"first_author" text,
	"second_author" text,
	"first_active_at" timestamp (3) with time zone NOT NULL,
	"second_active_at" timestamp (3) with time zone NOT NULL,
	"first_head" text,
	"second_head" text,
	"cause" text,
	"is_duplicate" boolean NOT NULL,
	"confidence" text,
	"files" jsonb NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"first_shown_at" timestamp (3) with time zone,
	"second_shown_at" timestamp (3) with time zone,
	"was_mergeable" boolean,
	"merged" text,
	"merged_at" timestamp (3) with time zone,
	"reads" integer DEFAULT 0 NOT NULL,
	"outcome" text DEFAULT 'open' NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "pairs_repo_id_first_second_pk" PRIMARY KEY("repo_id","first","second"),
	CONSTRAINT "pairs_order_check" CHECK ("pairs"."repo_id" > 0 and "pairs"."first" < "pairs"."second"),
	CONSTRAINT "pairs_place_check" CHECK ("pairs"."cause" in ('first', 'second') and "pairs"."merged" in ('first', 'second') and ("pairs"."merged" is null) = ("pairs"."merged_at" is null)),
	CONSTRAINT "pairs_outcome_check" CHECK ("pairs"."outcome" in ('open', 'came_true', 'resolved', 'wrong', 'given_up') and ("pairs"."outcome" = 'open') = ("pairs"."ended_at" is null))
);
--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "declared_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "is_by_newcomer" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "author" text;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "pushed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "is_push_seen" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "noise_entered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "is_mergeable" boolean;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "comment_version" integer;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "is_due" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "commented_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "thumbs_up" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "thumbs_down" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "noise_pairs_seen" ON "noise_pairs" USING btree ("repo_id","seen_at");--> statement-breakpoint
CREATE INDEX "pairs_second" ON "pairs" USING btree ("repo_id","second");--> statement-breakpoint
CREATE INDEX "pairs_seen" ON "pairs" USING btree ("repo_id","seen_at");--> statement-breakpoint
CREATE INDEX "pull_requests_opened" ON "pull_requests" USING btree ("repo_id","opened_at");--> statement-breakpoint
UPDATE "pull_requests" SET "commented_at" = "told_at" WHERE "comment_id" IS NOT NULL;