import { withRegistry } from '../../src/cli/registry-session.ts'

// A program: opens the embedded registry in the folder given as its argument
// and issues keys to one application for ever, writing each once it exists.
const [dataDir = ''] = process.argv.slice(2)

await withRegistry(
  {
    dataDir,
    databaseUrl: undefined,
    keyPepper: undefined,
    keysPerApplication: 1_000_000,
    applicationsPerDeveloper: 10,
    keyMaxDays: 0,
  },
  async (stores) => {
    const by = 'system'
    const email = 'issuer@example.com'
    const developer =
      (await stores.developers.findByEmail(email)) ??
      (await stores.developers.create({ email, name: '', by }))
    const application =
      (await stores.applications.findByName(developer.id, 'app')) ??
      (await stores.applications.create({ developerId: developer.id, name: 'app', by }))
    for (;;) {
      const { key } = await stores.keys.issue({ applicationId: application.id, by })
      process.stdout.write(`${key}\n`)
    }
  },
)
