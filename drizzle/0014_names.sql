CREATE TABLE "changed_names" (
	"repo_id" bigint NOT NULL,
	"activity_id" text collate "C" NOT NULL,
	"kind" smallint NOT NULL,
	"key" integer NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "changed_names_repo_id_activity_id_kind_key_pk" PRIMARY KEY("repo_id","activity_id","kind","key"),
	CONSTRAINT "changed_names_kind_check" CHECK ("changed_names"."repo_id" > 0 and "changed_names"."kind" >= 0 and "changed_names"."key" >= 0)
);
--> statement-breakpoint
CREATE INDEX "changed_names_used" ON "changed_names" USING btree ("repo_id","key") WHERE kind = 0;--> statement-breakpoint
CREATE INDEX "changed_names_taken" ON "changed_names" USING btree ("repo_id","key") WHERE kind > 0;