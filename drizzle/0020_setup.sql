CREATE TABLE "created_app" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"credentials" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "created_app_id_check" CHECK ("created_app"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "setup_codes" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "setup_codes_code_hash_check" CHECK ("setup_codes"."code_hash" ~ '^[0-9a-f]{64}$')
);
