CREATE TABLE "etags" (
	"repo_id" bigint NOT NULL,
	"address" text NOT NULL,
	"etag" text NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "etags_repo_id_address_pk" PRIMARY KEY("repo_id","address")
);
--> statement-breakpoint
ALTER TABLE "repositories" ADD COLUMN "reconciled_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "repositories" ADD COLUMN "delivered_at" timestamp (3) with time zone;