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
	"pr_url" text,
	"pr_number" integer,
	"draft_pr" boolean NOT NULL,
	"blocking" boolean NOT NULL,
	"source" text NOT NULL,
	"heartbeat_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"expires_hour" integer GENERATED ALWAYS AS ((floor(extract(epoch from (expires_at - timestamptz 'epoch')) / 3600))::int) STORED NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"archived_at" timestamp (3) with time zone,
	"archive_reason" text,
	"merged_at" timestamp (3) with time zone,
	CONSTRAINT "activities_repo_id_id_pk" PRIMARY KEY("repo_id","id")
);
--> statement-breakpoint
CREATE TABLE "repositories" (
	"repo_id" bigint PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"name" text NOT NULL,
	"installation_id" bigint,
	"left_at" timestamp (3) with time zone,
	"paused_until" timestamp (3) with time zone,
	"settings" jsonb,
	"settings_errors" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"swept_at" timestamp (3) with time zone NOT NULL
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
	"asked" integer NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
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
	CONSTRAINT "notables_repo_id_id_pk" PRIMARY KEY("repo_id","id")
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
CREATE UNLOGGED TABLE "quotas" (
	"caller" text PRIMARY KEY NOT NULL,
	"window_start" timestamp (3) with time zone NOT NULL,
	"used" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pull_requests" (
	"repo_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"is_open" boolean NOT NULL,
	"is_draft" boolean NOT NULL,
	"is_bot" boolean NOT NULL,
	"is_muted" boolean NOT NULL,
	"is_behind" boolean NOT NULL,
	"head_sha" text NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"comment_id" bigint,
	"comment_hash" text,
	"check_hash" text,
	"told_at" timestamp (3) with time zone,
	"related_ids" text[] NOT NULL,
	CONSTRAINT "pull_requests_repo_id_number_pk" PRIMARY KEY("repo_id","number")
);
--> statement-breakpoint
CREATE INDEX "activities_open" ON "activities" USING btree ("repo_id","id") WHERE status not in ('archived', 'expired');--> statement-breakpoint
CREATE INDEX "activities_state" ON "activities" USING btree ("repo_id","status","expires_hour");--> statement-breakpoint
CREATE INDEX "activities_archived" ON "activities" USING btree ("repo_id","archived_at") WHERE archived_at is not null;--> statement-breakpoint
CREATE INDEX "activities_branch" ON "activities" USING btree ("repo_id","branch","id") WHERE status not in ('archived', 'expired');--> statement-breakpoint
CREATE INDEX "activities_base_branch" ON "activities" USING btree ("repo_id","base_branch","id") WHERE status not in ('archived', 'expired');--> statement-breakpoint
CREATE INDEX "activities_pull_request" ON "activities" USING btree ("repo_id","pr_number") WHERE pr_number is not null;--> statement-breakpoint
CREATE INDEX "activities_merged" ON "activities" USING btree ("repo_id","merged_at") WHERE merged_at is not null;--> statement-breakpoint
CREATE INDEX "jobs_due" ON "jobs" USING btree ("state","run_at");--> statement-breakpoint
CREATE INDEX "jobs_repository" ON "jobs" USING btree ("repo_id","leased_until");--> statement-breakpoint
CREATE INDEX "jobs_ended" ON "jobs" USING btree ("updated_at") WHERE state in ('done', 'dead');--> statement-breakpoint
CREATE INDEX "notables_active" ON "notables" USING btree ("repo_id","id") WHERE status = 'active';--> statement-breakpoint
CREATE INDEX "notables_state" ON "notables" USING btree ("repo_id","status","expires_hour");--> statement-breakpoint
CREATE INDEX "notables_archived" ON "notables" USING btree ("repo_id","archived_at") WHERE archived_at is not null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("repo_id","created_at");--> statement-breakpoint
CREATE INDEX "pull_requests_open" ON "pull_requests" USING btree ("repo_id","number") WHERE is_open;