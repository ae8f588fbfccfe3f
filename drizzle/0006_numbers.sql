CREATE TABLE "learned_directories" (
	"repo_id" bigint NOT NULL,
	"directory" text collate "C" NOT NULL,
	"files" integer NOT NULL,
	"last" integer NOT NULL,
	"learned_at" integer,
	CONSTRAINT "learned_directories_repo_id_directory_pk" PRIMARY KEY("repo_id","directory")
);
--> statement-breakpoint
CREATE TABLE "listed_directories" (
	"repo_id" bigint NOT NULL,
	"directory" text collate "C" NOT NULL,
	"branch" text NOT NULL,
	"highest" text,
	"listed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "listed_directories_repo_id_directory_branch_pk" PRIMARY KEY("repo_id","directory","branch")
);
--> statement-breakpoint
CREATE TABLE "reserved_numbers" (
	"repo_id" bigint NOT NULL,
	"directory" text collate "C" NOT NULL,
	"activity_id" text collate "C" NOT NULL,
	"number" text NOT NULL,
	"reserved_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reserved_numbers_repo_id_directory_activity_id_pk" PRIMARY KEY("repo_id","directory","activity_id")
);
--> statement-breakpoint
ALTER TABLE "pairs" ADD COLUMN "sequence" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "reserved_numbers_number" ON "reserved_numbers" USING btree ("repo_id","directory","number");