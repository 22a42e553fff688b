/** One value in DER (ITU-T X.690): where it begins, where its content begins, and where both end. */
export interface DerValue {
  readonly tag: number
  readonly start: number
  readonly content: number
  readonly end: number
}

/** The octets are not DER with tags below 31. */
export class DerInvalid extends Error {
  constructor(at: number) {
    super(`no value in DER at octet ${at}`)
    this.name = 'DerInvalid'
  }
}

/**
 * Reads the header of the value at `start`, which must end at `limit` at the latest.
 *
 * @param wanted the tag that it must have; undefined: any
 * @throws {DerInvalid}
 */
export function readDer(der: Buffer, start: number, limit: number, wanted?: number): DerValue {
  const tag = der[start] ?? 0
  const first = der[start + 1] ?? 0
  // 0x80 would be the indefinite length of BER, and four octets count more than any file has.
  const octets = first < 0x80 ? 0 : first - 0x80
  const content = start + 2 + octets
  if (content > limit || (tag & 0x1f) === 0x1f || first === 0x80 || octets > 4) {
    throw new DerInvalid(start)
  }
  const length = octets === 0 ? first : der.readUIntBE(start + 2, octets)
  // 10.1: as few octets as possible.
  const isShortest = octets === 0 || (length >= 0x80 && length >= 256 ** (octets - 1))
  const end = content + length
  const isWanted = wanted === undefined || tag === wanted
  if (!isShortest || !isWanted || end > limit) throw new DerInvalid(start)
  return { tag, start, content, end }
}
