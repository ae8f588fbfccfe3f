ALTER TABLE "activities" DROP CONSTRAINT "activities_kind_check";--> statement-breakpoint
ALTER TABLE "activities" ADD CONSTRAINT "activities_kind_check" CHECK ("activities"."risk" in ('low', 'medium', 'high', 'critical') and "activities"."source" in ('api', 'pull_request', 'branch')) NOT VALID;
