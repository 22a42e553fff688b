import { X509Certificate } from 'node:crypto'
import { readDer } from '../../src/certificates/der.ts'
import { pem } from '../../src/certificates/make.ts'
import { described, type TestCertificate } from './authority.ts'

/** Order of the curve P-256. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** The same certificate with the other valid signature (r, n − s) of an authority with a P-256 key. Anyone can make it. */
export function twinOf({ certificate }: Pick<TestCertificate, 'certificate'>) {
  const der = certificate.x509.raw
  const whole = readDer(der, 0, der.length)
  const signed = readDer(der, whole.content, whole.end)
  const algorithm = readDer(der, signed.end, whole.end)
  const bits = readDer(der, algorithm.end, whole.end)
  // The first octet is the number of unused bits.
  const pair = readDer(der, bits.content + 1, bits.end)
  const r = readDer(der, pair.content, pair.end)
  const s = readDer(der, r.end, pair.end)
  const other = order - BigInt(`0x${der.subarray(s.content, s.end).toString('hex')}`)
  const signature = value(0x30, der.subarray(r.start, r.end), integer(other))
  const bitString = value(0x03, Buffer.from([0]), signature)
  const twin = value(0x30, der.subarray(signed.start, algorithm.end), bitString)
  return described(pem('CERTIFICATE', new X509Certificate(twin).raw))
}

function value(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), content])
}

function integer(of: bigint): Buffer {
  const hex = of.toString(16)
  const octets = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return value(0x02, ...((octets[0] ?? 0) < 0x80 ? [] : [Buffer.from([0])]), octets)
}
