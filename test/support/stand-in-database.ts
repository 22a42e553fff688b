import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { readDataFolderSecret } from '../../src/platform/database/data-folder.ts'
import {
  databaseBeside,
  type EmbeddedDatabase,
  startEmbeddedDatabase,
} from '../../src/platform/database/embedded-database.ts'
import {
  administer,
  postgresMissing,
  type Test,
  testDatabase,
  testDataDir,
  testFolder,
} from './database.ts'
import type { DatabaseContents } from './database-template.ts'

/** Addresses by data folder. */
const standIns = new Map<string, string>()

/**
 * A data folder whose embedded database is replaced by one of the PostgreSQL
 * that the tests of this process share, which starts and answers sooner. Only
 * {@link startDatabaseOf} knows of it, so a process started on the folder would
 * have its own database. Where no PostgreSQL is installed, the folder is
 * that of {@link testDataDir}.
 */
export async function standInDataDir(t: Test, contents?: DatabaseContents): Promise<string> {
  if (postgresMissing() !== false) return testDataDir(t, contents)
  const dataDir = testFolder(t)
  // A start takes this for a database that is there already.
  mkdirSync(join(dataDir, 'database'))
  writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '')
  const { url } = await testDatabase(t, contents)
  await administer(url, tellTransactions)
  standIns.set(dataDir, url)
  t.teardown(() => standIns.delete(dataDir))
  return dataDir
}

/** The embedded database of the folder, or the one that stands in for it. */
export const startDatabaseOf: typeof startEmbeddedDatabase = async (options) => {
  const url = standIns.get(options.dataDir)
  return url === undefined ? startEmbeddedDatabase(options) : followStandIn(url)
}

/** The address of the database of a running Tollgate. */
export async function testDatabaseBeside(dataDir: string): Promise<string> {
  const url = standIns.get(dataDir) ?? (await databaseBeside(dataDir))
  if (url === undefined) throw new Error(`nothing runs on ${dataDir}`)
  return url
}

/** Settings with which commands find the database of a running Tollgate. */
export async function commandEnvBeside(
  dataDir: string,
  portalUrl: string,
): Promise<Record<string, string>> {
  const url = standIns.get(dataDir)
  if (url === undefined) return { DATA_DIR: dataDir }
  const pepper = await readDataFolderSecret(dataDir, 'key-pepper')
  return {
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    KEY_PEPPER: pepper ?? '',
    PORTAL_PUBLIC_URL: portalUrl,
  }
}

async function followStandIn(url: string): Promise<EmbeddedDatabase> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('listen transactions')
  return {
    url,
    onTransaction: (listener) => void client.on('notification', () => listener()),
    close: () => client.end(),
  }
}

/**
 * What changes a table reports its end. The embedded database reports the end
 * of every transaction, also of one that only read, but of no single statement.
 */
const tellTransactions = `
  create function tell_transaction() returns trigger language plpgsql as $$
  begin
    perform pg_notify('transactions', '');
    return null;
  end $$;

  create function tell_of_tables() returns void language plpgsql as $$
  declare found regclass;
  begin
    for found in
      select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition
        and n.nspname not in ('pg_catalog', 'information_schema')
    loop
      execute format('create or replace trigger tell_transaction after insert or update or delete'
        ' on %s for each statement execute function public.tell_transaction()', found);
    end loop;
  end $$;

  create function tell_of_new_tables() returns event_trigger language plpgsql as $$
  begin
    perform public.tell_of_tables();
  end $$;

  create event trigger tell_of_new_tables on ddl_command_end when tag in ('CREATE TABLE')
    execute function tell_of_new_tables();

  select tell_of_tables();
`
