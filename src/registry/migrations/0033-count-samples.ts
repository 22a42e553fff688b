import { migrationOf } from '../../platform/database/migration-of.ts'

/** What processes report to `tollgate prove --window`; without a proof: what a process that ended had admitted. */
export const countSamples = migrationOf(
  `
      create table count_samples (
        proof uuid,
        process uuid not null,
        at timestamptz not null default now(),
        host text not null,
        pid integer not null,
        parent integer not null,
        workers integer not null,
        share float8 not null,
        samples jsonb not null
      )`,
  `create index count_samples_proof on count_samples (proof)`,
)
