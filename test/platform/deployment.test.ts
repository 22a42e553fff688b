import t from 'tap'
import { deploymentWarnings } from '../../src/platform/deployment.ts'
import { type Role, readSettings } from '../../src/platform/settings.ts'

function warnings(env: Readonly<Record<string, string>>, ...roles: Role[]): string[] {
  return deploymentWarnings(readSettings(env), new Set(roles)).map(
    (text) => text.split(':')[0] ?? '',
  )
}

const split = { DATABASE_URL: 'postgres://user:password@db.internal:5432/tollgate' }

t.test(
  'a split deployment warns of public addresses that other machines cannot reach',
  async (t) => {
    t.same(warnings(split, 'gateway'), ['PORTAL_PUBLIC_URL is not set'])
    t.same(warnings({ ...split, GATEWAY_PUBLIC_URL: 'http://127.0.0.1:8080' }, 'portal'), [
      'PORTAL_PUBLIC_URL is not set',
      'GATEWAY_PUBLIC_URL leads only to this machine',
    ])
    t.same(warnings({ ...split, SCA_PUBLIC_URL: 'http://[::1]:8083' }, 'backend'), [
      'SCA_PUBLIC_URL leads only to this machine',
    ])
    const reachable = { ...split, PORTAL_PUBLIC_URL: 'https://developer.bank.example' }
    t.same(warnings(reachable, 'gateway'), [])
    t.same(
      warnings({}, 'gateway', 'portal', 'backend'),
      [],
      'an embedded start is for this machine',
    )
  },
)

t.test(
  'a portal with a public address warns that it sends no email without SMTP_URL',
  async (t) => {
    const published = { PORTAL_PUBLIC_URL: 'https://developer.bank.example' }
    t.same(warnings(published, 'gateway', 'portal', 'backend'), ['SMTP_URL is not set'])
    t.same(warnings(published, 'gateway'), [], 'a gateway sends no email')
    t.same(warnings({ ...published, SMTP_URL: 'smtps://mail.bank.example:465' }, 'portal'), [])
    t.same(warnings({ PORTAL_PUBLIC_URL: 'http://127.0.0.1:8088' }, 'portal'), [])
  },
)
