CREATE TABLE "merged_lines" (
	"repo_id" bigint NOT NULL,
	"hash" integer NOT NULL,
	"number" integer NOT NULL,
	CONSTRAINT "merged_lines_repo_id_hash_number_pk" PRIMARY KEY("repo_id","hash","number")
);
--> statement-breakpoint
ALTER TABLE "pairs" ADD COLUMN "is_done" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "merged_lines_number" ON "merged_lines" USING btree ("repo_id","number");