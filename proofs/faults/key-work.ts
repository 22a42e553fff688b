import { randomUUID } from 'node:crypto'
import { withRegistry } from '../../src/cli/registry-session.ts'

// A program: does one kind of work on keys for ever, in several lanes at once, each on its own application, and
// writes a line for each result that its developer got. Started as `key-work.ts issue|rotate|revoke <lanes>` with
// DATABASE_URL and KEY_PEPPER; killed in the middle of it.
const [kind = '', lanes = '1'] = process.argv.slice(2)
const by = 'system'

function tell(word: string, key: string): void {
  process.stdout.write(`${word} ${key}\n`)
}

await withRegistry(
  {
    dataDir: '',
    databaseUrl: process.env['DATABASE_URL'],
    keyPepper: process.env['KEY_PEPPER'],
    keysPerApplication: 1_000_000,
    applicationsPerDeveloper: 10,
    keyMaxDays: 0,
  },
  async (stores) => {
    async function work(): Promise<never> {
      const email = `${randomUUID()}@tollgate.example`
      const developer = await stores.developers.create({ email, name: '', by })
      const { id: applicationId } = await stores.applications.create({
        developerId: developer.id,
        name: 'app',
        by,
      })
      for (;;) {
        const issued = await stores.keys.issue({ applicationId, by })
        if (kind !== 'revoke') tell('works', issued.key)
        if (kind === 'rotate') {
          const next = await stores.keys.rotate({ id: issued.id, overlapSeconds: 3600, by })
          tell('works', next.key)
        } else if (kind === 'revoke') {
          await stores.keys.revoke({ id: issued.id, by })
          tell('revoked', issued.key)
        }
      }
    }
    await Promise.all(Array.from({ length: Number(lanes) }, work))
  },
)
