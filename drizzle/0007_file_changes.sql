CREATE TABLE "file_changes" (
	"repo_id" bigint NOT NULL,
	"activity_id" text collate "C" NOT NULL,
	"origin" text NOT NULL,
	"name_key" text NOT NULL,
	"position" integer NOT NULL,
	"name" text NOT NULL,
	"path" text NOT NULL,
	"previous_path" text,
	"status" text NOT NULL,
	"blob_sha" text,
	"changed_lines" integer,
	"digest" "bytea",
	CONSTRAINT "file_changes_repo_id_activity_id_name_key_origin_position_pk" PRIMARY KEY("repo_id","activity_id","name_key","origin","position")
);
--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "changed_files" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "base_sha" text;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "pushed_files" jsonb;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "pushed_base_sha" text;--> statement-breakpoint
ALTER TABLE "repositories" ADD COLUMN "line_key" "bytea";