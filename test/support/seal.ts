import { execFileSync } from 'node:child_process'
import { createHash, createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from './database.ts'

/** What a TPP signs its calls with. */
export interface Seal {
  readonly key: KeyObject
  readonly pem: string
  /** PEM in one line. */
  readonly certificate: string
  /** SHA-256 of the certificate in base64url. */
  readonly thumbprint: string
}

/** A self-signed certificate, valid for this many days from now, made by openssl. */
export function createSeal(t: Test, kind: 'rsa' | 'ec', days = 1): Seal {
  const folder = mkdtempSync(join(tmpdir(), 'tg-seal-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const path = (name: string) => join(folder, name)
  const newKey =
    kind === 'rsa'
      ? ['-newkey', 'rsa:2048']
      : ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const subject = ['-nodes', '-days', String(days), '-subj', '/CN=Sandbox TPP']
  const files = ['-keyout', path('key.pem'), '-out', path('certificate.pem')]
  execFileSync('openssl', ['req', '-x509', ...newKey, ...subject, ...files], { stdio: 'ignore' })
  const pem = readFileSync(path('certificate.pem'), 'utf8')
  return {
    key: createPrivateKey(readFileSync(path('key.pem'))),
    pem,
    certificate: pem.replaceAll('\n', ''),
    thumbprint: createHash('sha256').update(new X509Certificate(pem).raw).digest('base64url'),
  }
}

/** The `Signature` over header fields, labelled as a widely used client labels it. */
export function signatureOf(
  headers: Readonly<Record<string, string>>,
  key: KeyObject,
  names: readonly string[] = Object.keys(headers),
): string {
  const text = names.map((name) => `${name}: ${headers[name]}`).join('\n')
  const signature = sign('sha256', Buffer.from(text), key).toString('base64')
  return `keyId="SN=1,CA=CN=Sandbox",algorithm="sha-256",headers="${names.join(' ')}",signature="${signature}"`
}
