CREATE TABLE "created_app" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"credentials" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "created_app_id_check" CHECK ("created_app"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "setup_codes" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"repo_id" bigint NOT NULL,
	"payload" json,
	"state" text NOT NULL,
	"run_at" timestamp (3) with time zone NOT NULL,
	"leased_until" timestamp (3) with time zone,
	"enqueued" integer NOT NULL,
	"attempts" integer NOT NULL,
	"run" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"caused_by" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"priority" smallint DEFAULT 0 NOT NULL,
	"owner" text collate "C" DEFAULT '' NOT NULL,
	"write_at" timestamp (3) with time zone,
	"lapses" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "jobs_state_check" CHECK ("jobs"."state" in ('pending', 'done', 'dead'))
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"repo_id" bigint NOT NULL,
	"caller" text NOT NULL,
	"operation" text NOT NULL,
	"key" text NOT NULL,
	"input_hash" text NOT NULL,
	"record_id" text NOT NULL,
	"answer" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_repo_id_caller_operation_key_pk" PRIMARY KEY("repo_id","caller","operation","key")
);
--> statement-breakpoint
CREATE TABLE "activities" (
	"repo_id" bigint NOT NULL,
	"id" text collate "C" NOT NULL,
	"title" text NOT NULL,
	"summary" text NOT NULL,
	"actor" text NOT NULL,
	"agent" text,
	"status" text NOT NULL,
	"risk" text NOT NULL,
	"branch" text,
	"base_branch" text,
	"branch_pushed" boolean DEFAULT false NOT NULL,
	"scope" jsonb NOT NULL,
	"scope_is_literal" boolean DEFAULT false NOT NULL,
	"changed_files" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"base_sha" text,
	"pushed_files" jsonb,
	"pushed_base_sha" text,
	"changes_complete" boolean DEFAULT true NOT NULL,
	"pr_url" text,
	"pr_number" integer,
	"draft_pr" boolean NOT NULL,
	"assignee" text,
	"is_by_newcomer" boolean DEFAULT false NOT NULL,
	"conflicts_with_base" boolean DEFAULT false NOT NULL,
	"closes" integer[],
	"issue" integer,
	"issue_places" jsonb,
	"reserved_numbers" jsonb,
	"blocking" boolean NOT NULL,
	"source" text NOT NULL,
	"heartbeat_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ttl_ms" bigint,
	"expires_hour" integer GENERATED ALWAYS AS ((floor(extract(epoch from (expires_at - timestamptz 'epoch')) / 3600))::int) STORED NOT NULL,
	"declared_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"archived_at" timestamp (3) with time zone,
	"archive_reason" text,
	"created_by" text,
	"archived_by" text,
	"merged_at" timestamp (3) with time zone,
	"version" bigint NOT NULL,
	CONSTRAINT "activities_repo_id_id_pk" PRIMARY KEY("repo_id","id"),
	CONSTRAINT "activities_status_check" CHECK ("activities"."status" in ('planned', 'active', 'paused', 'blocked', 'draft-pr-open', 'ready-for-review', 'merged', 'abandoned', 'archived', 'expired')),
	CONSTRAINT "activities_expires_at_check" CHECK ("activities"."expires_at" >= "activities"."created_at"),
	CONSTRAINT "activities_archived_at_check" CHECK (("activities"."status" = 'archived') = ("activities"."archived_at" is not null) and ("activities"."status" = 'archived' or "activities"."archived_by" is null)),
	CONSTRAINT "activities_archive_reason_check" CHECK (("activities"."status" = 'archived') = ("activities"."archive_reason" is not null)),
	CONSTRAINT "activities_merged_at_check" CHECK ("activities"."status" <> 'merged' or "activities"."merged_at" is not null),
	CONSTRAINT "activities_pr_number_check" CHECK (("activities"."pr_url" is null) = ("activities"."pr_number" is null) and ("activities"."pr_number" is not null or "activities"."source" <> 'pull_request') and "activities"."pr_url" ilike '%/pull/' || "activities"."pr_number"::text)
);
--> statement-breakpoint
CREATE TABLE "file_changes" (
	"repo_id" bigint NOT NULL,
	"activity_id" text collate "C" NOT NULL,
	"origin" text NOT NULL,
	"position" integer NOT NULL,
	"path" text NOT NULL,
	"previous_path" text,
	"status" text NOT NULL,
	"blob_sha" text,
	"changed_lines" integer,
	"digest" "bytea",
	CONSTRAINT "file_changes_repo_id_activity_id_origin_position_pk" PRIMARY KEY("repo_id","activity_id","origin","position")
);
--> statement-breakpoint
CREATE TABLE "live_sets" (
	"repo_id" bigint PRIMARY KEY NOT NULL,
	"version" bigint DEFAULT (extract(epoch from now()) * 1000000)::bigint NOT NULL,
	"links_version" bigint DEFAULT 0 NOT NULL,
	"deleted_version" bigint DEFAULT (extract(epoch from now()) * 1000000)::bigint NOT NULL,
	"activities" integer DEFAULT 0 NOT NULL,
	"notables" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "merged_lines" (
	"repo_id" bigint NOT NULL,
	"hash" integer NOT NULL,
	"number" integer NOT NULL,
	CONSTRAINT "merged_lines_repo_id_hash_number_pk" PRIMARY KEY("repo_id","hash","number")
);
--> statement-breakpoint
CREATE TABLE "notables" (
	"repo_id" bigint NOT NULL,
	"id" text collate "C" NOT NULL,
	"title" text NOT NULL,
	"summary" text NOT NULL,
	"category" text NOT NULL,
	"importance" text NOT NULL,
	"status" text NOT NULL,
	"decision_url" text,
	"supersedes" jsonb NOT NULL,
	"superseded_by" text,
	"applies_until" timestamp (3) with time zone,
	"scope" jsonb NOT NULL,
	"area_keys" text[] NOT NULL,
	"blocking" boolean NOT NULL,
	"created_by" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"expires_hour" integer GENERATED ALWAYS AS ((floor(extract(epoch from (expires_at - timestamptz 'epoch')) / 3600))::int) STORED NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"archived_at" timestamp (3) with time zone,
	"notified_at" timestamp (3) with time zone,
	"version" bigint NOT NULL,
	CONSTRAINT "notables_repo_id_id_pk" PRIMARY KEY("repo_id","id"),
	CONSTRAINT "notables_status_check" CHECK ("notables"."status" in ('active', 'archived', 'expired')),
	CONSTRAINT "notables_expires_at_check" CHECK ("notables"."expires_at" >= "notables"."created_at"),
	CONSTRAINT "notables_archived_at_check" CHECK (("notables"."status" = 'archived') = ("notables"."archived_at" is not null)),
	CONSTRAINT "notables_superseded_by_check" CHECK ("notables"."superseded_by" is null or "notables"."status" = 'archived')
);
--> statement-breakpoint
CREATE TABLE "pull_requests" (
	"repo_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"is_open" boolean NOT NULL,
	"is_draft" boolean NOT NULL,
	"is_bot" boolean NOT NULL,
	"is_muted" boolean NOT NULL,
	"is_muted_by_comment" boolean DEFAULT false NOT NULL,
	"mute_commented_at" timestamp (3) with time zone,
	"is_queued" boolean DEFAULT false NOT NULL,
	"queue_changed_at" timestamp (3) with time zone,
	"is_behind" boolean NOT NULL,
	"head_sha" text NOT NULL,
	"title" text NOT NULL,
	"summary_hash" text,
	"closes" integer[],
	"branch" text NOT NULL,
	"base_branch" text NOT NULL,
	"stack_number" integer,
	"stack_position" integer,
	"merged_below" integer[],
	"is_by_newcomer" boolean DEFAULT false NOT NULL,
	"author" text NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"pushed_at" timestamp (3) with time zone NOT NULL,
	"is_push_seen" boolean DEFAULT false NOT NULL,
	"push_received_at" timestamp (3) with time zone NOT NULL,
	"ready_at" timestamp (3) with time zone,
	"own_event_at" timestamp (3) with time zone,
	"merged_at" timestamp (3) with time zone,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"is_due" boolean DEFAULT false NOT NULL,
	"related_ids" text[] NOT NULL,
	"comment_id" bigint,
	"comment_posted_at" timestamp (3) with time zone,
	"comment_edits" integer DEFAULT 0 NOT NULL,
	"comment_deleted_at" timestamp (3) with time zone,
	"comment_version" integer,
	"commented_at" timestamp (3) with time zone,
	"is_over_budget" boolean DEFAULT false NOT NULL,
	"thumbs_up" integer DEFAULT 0 NOT NULL,
	"thumbs_down" integer DEFAULT 0 NOT NULL,
	"comment_hash" text,
	"comment_refused" text,
	"check_hash" text,
	"check_refused" text,
	"published_at" timestamp (3) with time zone,
	CONSTRAINT "pull_requests_repo_id_number_pk" PRIMARY KEY("repo_id","number")
);
--> statement-breakpoint
CREATE TABLE "etags" (
	"repo_id" bigint NOT NULL,
	"address" text NOT NULL,
	"etag" text NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "etags_repo_id_address_pk" PRIMARY KEY("repo_id","address")
);
--> statement-breakpoint
CREATE TABLE "installations" (
	"installation_id" bigint PRIMARY KEY NOT NULL,
	"reads_paused_until" timestamp (3) with time zone,
	"writes_paused_until" timestamp (3) with time zone,
	"next_write_at" timestamp (3) with time zone,
	"writes_until" timestamp (3) with time zone,
	"imports_until" timestamp (3) with time zone,
	"organisation" jsonb,
	"is_organisation_known" boolean DEFAULT false NOT NULL,
	"is_read_only" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repositories" (
	"repo_id" bigint PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"name" text NOT NULL,
	"installation_id" bigint,
	"commenting_since" timestamp (3) with time zone,
	"farewell_at" timestamp (3) with time zone,
	"uninstalled_at" timestamp (3) with time zone,
	"watched_at" timestamp (3) with time zone,
	"settings" jsonb,
	"settings_sha" text,
	"settings_pushed_at" timestamp (3) with time zone,
	"labeler_areas" jsonb,
	"noise_attributes" jsonb,
	"settings_errors" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"reconciled_at" timestamp (3) with time zone,
	"delivered_at" timestamp (3) with time zone,
	"branches_after" text,
	"line_key" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"swept_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "repositories_uninstalled_at_check" CHECK ("repositories"."uninstalled_at" is null or "repositories"."installation_id" is null)
);
--> statement-breakpoint
CREATE TABLE "branch_commits" (
	"repo_id" bigint NOT NULL,
	"sha" text collate "C" NOT NULL,
	"branch" text NOT NULL,
	"pushed_at" timestamp (3) with time zone NOT NULL,
	"is_uncertain" boolean DEFAULT false NOT NULL,
	CONSTRAINT "branch_commits_repo_id_sha_branch_pk" PRIMARY KEY("repo_id","sha","branch")
);
--> statement-breakpoint
CREATE TABLE "branch_links" (
	"repo_id" bigint NOT NULL,
	"branch" text NOT NULL,
	"base_branch" text NOT NULL,
	"sha" text collate "C",
	"linked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "branch_links_repo_id_branch_base_branch_pk" PRIMARY KEY("repo_id","branch","base_branch")
);
--> statement-breakpoint
CREATE TABLE "pairs" (
	"repo_id" bigint NOT NULL,
	"a" text collate "C" NOT NULL,
	"b" text collate "C" NOT NULL,
	"sides" jsonb NOT NULL,
	"cause" text,
	"consequence" text NOT NULL,
	"is_done" boolean DEFAULT false NOT NULL,
	"confidence" text,
	"files" jsonb NOT NULL,
	"sequence" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"a_shown_at" timestamp (3) with time zone,
	"b_shown_at" timestamp (3) with time zone,
	"notified_at" timestamp (3) with time zone,
	"merged" text,
	"merged_at" timestamp (3) with time zone,
	"outcome" text DEFAULT 'open' NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "pairs_repo_id_a_b_pk" PRIMARY KEY("repo_id","a","b"),
	CONSTRAINT "pairs_order_check" CHECK ("pairs"."a" < "pairs"."b"),
	CONSTRAINT "pairs_place_check" CHECK (("pairs"."merged" is null) = ("pairs"."merged_at" is null)),
	CONSTRAINT "pairs_outcome_check" CHECK (("pairs"."outcome" = 'open') = ("pairs"."ended_at" is null))
);
--> statement-breakpoint
CREATE INDEX "jobs_due" ON "jobs" USING btree ("state","run_at");
--> statement-breakpoint
CREATE INDEX "jobs_turns" ON "jobs" USING btree ("priority","owner","run_at","id") WHERE state = 'pending';
--> statement-breakpoint
CREATE INDEX "jobs_repository" ON "jobs" USING btree ("repo_id","leased_until");
--> statement-breakpoint
CREATE INDEX "jobs_ended" ON "jobs" USING btree ("updated_at") WHERE state in ('done', 'dead');
--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("repo_id","created_at");
--> statement-breakpoint
CREATE INDEX "activities_open" ON "activities" USING btree ("repo_id","id") WHERE status not in ('archived', 'expired');
--> statement-breakpoint
CREATE INDEX "activities_version" ON "activities" USING btree ("repo_id","version");
--> statement-breakpoint
CREATE INDEX "activities_state" ON "activities" USING btree ("repo_id","status","expires_hour");
--> statement-breakpoint
CREATE INDEX "activities_archived" ON "activities" USING btree ("repo_id","archived_at") WHERE archived_at is not null;
--> statement-breakpoint
CREATE INDEX "activities_branch" ON "activities" USING btree ("repo_id","branch","id") WHERE status not in ('archived', 'expired');
--> statement-breakpoint
CREATE INDEX "activities_base_branch" ON "activities" USING btree ("repo_id","base_branch","id") WHERE status not in ('archived', 'expired');
--> statement-breakpoint
CREATE INDEX "activities_pull_request" ON "activities" USING btree ("repo_id","pr_number") WHERE pr_number is not null;
--> statement-breakpoint
CREATE INDEX "activities_reserved" ON "activities" USING btree ("repo_id","id") WHERE reserved_numbers is not null;
--> statement-breakpoint
CREATE INDEX "activities_merged" ON "activities" USING btree ("repo_id","merged_at") WHERE merged_at is not null;
--> statement-breakpoint
CREATE INDEX "merged_lines_number" ON "merged_lines" USING btree ("repo_id","number");
--> statement-breakpoint
CREATE INDEX "notables_active" ON "notables" USING btree ("repo_id","id") WHERE status = 'active';
--> statement-breakpoint
CREATE INDEX "notables_state" ON "notables" USING btree ("repo_id","status","expires_hour");
--> statement-breakpoint
CREATE INDEX "notables_version" ON "notables" USING btree ("repo_id","version");
--> statement-breakpoint
CREATE INDEX "notables_archived" ON "notables" USING btree ("repo_id","archived_at") WHERE archived_at is not null;
--> statement-breakpoint
CREATE INDEX "pull_requests_open" ON "pull_requests" USING btree ("repo_id","number") WHERE is_open;
--> statement-breakpoint
CREATE INDEX "pull_requests_opened" ON "pull_requests" USING btree ("repo_id","opened_at");
--> statement-breakpoint
CREATE INDEX "pull_requests_merged" ON "pull_requests" USING btree ("repo_id","merged_at") WHERE merged_at is not null;
--> statement-breakpoint
CREATE INDEX "pull_requests_posted" ON "pull_requests" USING btree ("repo_id","comment_posted_at") WHERE comment_posted_at is not null;
--> statement-breakpoint
CREATE INDEX "branch_commits_branch" ON "branch_commits" USING btree ("repo_id","branch");
--> statement-breakpoint
CREATE INDEX "branch_commits_pushed" ON "branch_commits" USING btree ("repo_id","pushed_at");
--> statement-breakpoint
CREATE INDEX "branch_links_base" ON "branch_links" USING btree ("repo_id","base_branch","branch");
--> statement-breakpoint
CREATE INDEX "branch_links_linked" ON "branch_links" USING btree ("repo_id","linked_at");
--> statement-breakpoint
CREATE INDEX "pairs_b" ON "pairs" USING btree ("repo_id","b");
--> statement-breakpoint
CREATE INDEX "pairs_seen" ON "pairs" USING btree ("repo_id","seen_at");
--> statement-breakpoint
CREATE INDEX "pairs_shown" ON "pairs" USING btree ("repo_id",least("a_shown_at", "b_shown_at")) WHERE least("pairs"."a_shown_at", "pairs"."b_shown_at") is not null;
--> statement-breakpoint
-- Room on each page for the next version of a row: heartbeats and tallies then touch no index.
ALTER TABLE "activities" SET (fillfactor = 80);
--> statement-breakpoint
ALTER TABLE "live_sets" SET (fillfactor = 50);
