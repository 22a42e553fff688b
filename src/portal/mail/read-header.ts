/** The text of a header field, whose words may be encoded (RFC 2047). */
export function readHeader(field: string): string {
  return (
    field
      // White space between two encoded words is not part of the text.
      .replace(/\?=\s+=\?/g, '?==?')
      .replace(/(?:=\?utf-8\?[bq]\?[^?]*\?=)+/gi, (run) =>
        Buffer.concat([...run.matchAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi)].map(octetsOf)).toString(),
      )
  )
}

function octetsOf([, encoding = '', text = '']: RegExpExecArray): Buffer {
  if (encoding.toLowerCase() === 'b') return Buffer.from(text, 'base64')
  const plain = text
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(plain, 'latin1')
}
