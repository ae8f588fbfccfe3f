CREATE TABLE "organisations" (
	"installation_id" bigint PRIMARY KEY NOT NULL,
	"github_id" bigint,
	"settings" jsonb
);
--> statement-breakpoint
ALTER TABLE "repositories" ADD COLUMN "organisation" jsonb;