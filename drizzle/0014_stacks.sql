CREATE TABLE "branch_commits" (
	"repo_id" bigint NOT NULL,
	"sha" text collate "C" NOT NULL,
	"branch" text NOT NULL,
	"pushed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "branch_commits_repo_id_sha_branch_pk" PRIMARY KEY("repo_id","sha","branch")
);
--> statement-breakpoint
CREATE TABLE "branch_links" (
	"repo_id" bigint NOT NULL,
	"branch" text NOT NULL,
	"base_branch" text NOT NULL,
	"linked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "branch_links_repo_id_branch_base_branch_pk" PRIMARY KEY("repo_id","branch","base_branch")
);
--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "branch" text;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "stack_number" integer;--> statement-breakpoint
ALTER TABLE "pull_requests" ADD COLUMN "stack_position" integer;--> statement-breakpoint
CREATE INDEX "branch_commits_branch" ON "branch_commits" USING btree ("repo_id","branch");--> statement-breakpoint
CREATE INDEX "branch_commits_pushed" ON "branch_commits" USING btree ("repo_id","pushed_at");--> statement-breakpoint
CREATE INDEX "branch_links_base" ON "branch_links" USING btree ("repo_id","base_branch","branch");--> statement-breakpoint
CREATE INDEX "branch_links_linked" ON "branch_links" USING btree ("repo_id","linked_at");