import t from 'tap'
import { readRevocationList } from '../../src/certificates/revocation-list.ts'
import { described } from '../support/authority.ts'
import { testDatabase } from '../support/database.ts'
import { testApplication, testStores } from '../support/registry.ts'

t.test("the sandbox's list keeps the two newest revoked pairs of each application", async (t) => {
  const { database } = await testDatabase(t)
  const stores = await testStores(database)
  const { sandboxAuthority } = stores

  async function revoke({ application }: Awaited<ReturnType<typeof testApplication>>) {
    const made = await sandboxAuthority.issue({
      application,
      use: 'tls',
      roles: ['PSP_AI'],
      defect: 'revoked',
      by: 'test',
      crlUrl: 'http://127.0.0.1/crl',
    })
    return described(made.certificate).certificate.x509.serialNumber
  }

  const one = await testApplication(stores)
  const other = await revoke(await testApplication(stores))
  const serials: string[] = []
  for (let count = 0; count < 10; count += 1) serials.push(await revoke(one))
  const list = readRevocationList((await sandboxAuthority.published()).revocationList)
  t.same(
    serials.filter((serial) => list.has(serial)),
    serials.slice(-4),
  )
  t.ok(list.has(other), 'that of another application stays')
  t.equal(list.size, 5)
})
