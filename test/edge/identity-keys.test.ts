import { generateKeyPairSync } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import t from 'tap'
import { createIdentitySigner, readIdentityKeys } from '../../src/gateway/edge/forward/identity.ts'
import { createWatchedCopy } from '../../src/platform/settings/watched-files.ts'
import { until } from '../support/until.ts'

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    pem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    publicPem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  }
}

t.test('the first key signs, all are published, and a new list applies at once', async (t) => {
  const [old, next] = [newKey(), newKey()]
  const keys = createWatchedCopy(old.pem)
  const signer = await createIdentitySigner({
    keys,
    audience: 'bank',
    now: Date.now,
    monotonic: () => 0,
  })
  const caller = {
    applicationId: 'a',
    applicationName: 'A',
    isStrict: false,
    seals: [],
    redirectOrigins: [],
  }
  const version = { api: 'xs2a', version: '1.7.0' }
  const token = () => signer.tokenFor(caller, version, undefined)
  const verify = (jws: string) => jwtVerify(jws, createLocalJWKSet(signer.jwks()))
  const kids = () => signer.jwks().keys.map(({ kid }) => kid)
  const first = token()
  const [oldKid] = kids()

  keys.take(old.pem + next.pem)
  await until('the next key is published', () => kids().length === 2)
  t.equal((await verify(token())).protectedHeader.kid, oldKid, 'before it signs')
  t.notMatch(JSON.stringify(signer.jwks()), /"d":/, 'only public halves')

  keys.take(`${next.pem}\n${old.publicPem}`)
  await until('the next key signs', () => kids()[0] !== oldKid)
  t.not((await verify(token())).protectedHeader.kid, oldKid)
  t.ok(await verify(first), 'a token of before stays valid: its key is published')

  keys.take(next.pem)
  await until('the old key is withdrawn', () => kids().length === 1)
  await t.rejects(verify(first))
  t.ok(await verify(token()))
})

t.test('a list that cannot sign or has a key of another kind is refused', async (t) => {
  const { pem, publicPem } = newKey()
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  for (const wrong of ['', 'text', publicPem, publicPem + pem, other, pem + other]) {
    t.throws(() => readIdentityKeys(wrong), /IDENTITY_PRIVATE_KEY: must be an Ed25519/)
  }
  t.equal(readIdentityKeys(pem + publicPem).published.length, 2)
})
