import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing } from '../../platform/log/error-code.ts'
import { plainHeader } from './file-transport.ts'
import { readHeader } from './read-header.ts'

/** A mail that {@link createFileTransport} wrote. */
export interface MailFile {
  /** Name of the file without its ending. */
  readonly id: string
  readonly at: Date
  readonly to: string
  readonly subject: string
  /** Lines end in `\n`. */
  readonly text: string
}

const fileName = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[a-z-]+-(\d+)\.eml$/

/** Reads the newest files of the folder, newest first; what is not one of our files is left out. */
export async function readMailFiles(folder: string, max: number): Promise<MailFile[]> {
  const names = (await readdir(folder)).filter((name) => fileName.test(name))
  const newest = names.toSorted(newestFirst).slice(0, max)
  const mails = await Promise.all(
    newest.map(async (name) => {
      const source = await readFile(join(folder, name), 'utf8').catch(ignoreMissing)
      return source === undefined ? [] : [parse(name, source)]
    }),
  )
  return mails.flat()
}

/** By time, then by number: mails of one millisecond are written in any order. */
function newestFirst(a: string, b: string): number {
  const [atA = '', atB = ''] = [a, b].map((name) => name.slice(0, 19))
  if (atA !== atB) return atA < atB ? 1 : -1
  return numberOf(b) - numberOf(a)
}

function numberOf(name: string): number {
  return Number(fileName.exec(name)?.[8])
}

/** The recipient in the header of a mail; empty without one. */
export function recipientIn(source: string): string {
  return fieldIn(source, 'To')
}

function fieldIn(source: string, name: string): string {
  const [head = ''] = source.split('\r\n\r\n', 1)
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
}

function parse(name: string, source: string): MailFile {
  const [, part = ''] = source.split(plainHeader('text/plain'))
  const [text = ''] = part.split('\r\n--', 1)
  return {
    id: name.replace(/\.eml$/, ''),
    at: new Date(name.replace(fileName, '$1-$2-$3T$4:$5:$6.$7Z')),
    to: recipientIn(source),
    subject: readHeader(fieldIn(source, 'Subject')),
    text: text.replaceAll('\r\n', '\n').trimEnd(),
  }
}
