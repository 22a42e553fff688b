// npm run coverage:interface: which test shows each answer that an operation can give. Runs the tests of this folder and
// ends with 1 when they fail or when more cells are empty than the ten that may be.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drawTable } from '../../src/cli/output.ts'
import { type NotedAnswer, reportVariable } from '../support/interface.ts'
import { cells } from './cells.ts'

const emptyMost = 10
const folder = mkdtempSync(join(tmpdir(), 'tg-interface-'))
try {
  const here = fileURLToPath(new URL('.', import.meta.url))
  const files = readdirSync(here).filter((name) => name.endsWith('.test.ts'))
  const run = fileURLToPath(new URL('../run.ts', import.meta.url))
  const paths = files.map((name) => join('test', 'interface', name))
  const { status } = spawnSync(process.execPath, [run, ...paths], {
    env: { ...process.env, [reportVariable]: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const empty = print(readNotes(folder))
  process.stdout.write(`${status === 0 ? 'all tests passed' : 'TESTS FAILED'}\n`)
  process.exitCode = status === 0 && empty <= emptyMost ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** What was answered, by `<operation> <status> [code]`. */
function readNotes(from: string): ReadonlyMap<string, readonly NotedAnswer[]> {
  const notes = new Map<string, NotedAnswer[]>()
  for (const name of readdirSync(from)) {
    for (const line of readFileSync(join(from, name), 'utf8').trim().split('\n')) {
      const noted: NotedAnswer = JSON.parse(line)
      const cell = `${noted.operation} ${noted.status}${noted.code === undefined ? '' : ` ${noted.code}`}`
      notes.set(cell, [...(notes.get(cell) ?? []), noted])
    }
  }
  return notes
}

/** Prints the table and returns how many cells no test shows. */
function print(notes: ReadonlyMap<string, readonly NotedAnswer[]>): number {
  const rows: Record<'operation' | 'answer' | 'versions' | 'shownBy', string>[] = []
  const empty: string[] = []
  for (const [operation, answers] of cells) {
    for (const answer of answers) {
      const shown = notes.get(`${operation} ${answer}`) ?? []
      if (shown.length === 0) empty.push(`${operation} ${answer}`)
      const versions = [...new Set(shown.map(({ version }) => version))].sort().join(', ')
      rows.push({ operation, answer, versions, shownBy: titleOf(shown[0]) })
    }
  }
  const known = new Set(
    [...cells].flatMap(([name, answers]) => answers.map((answer) => `${name} ${answer}`)),
  )
  const beyond = [...notes.keys()].filter((cell) => !known.has(cell))
  const total = [...notes.values()].reduce((sum, list) => sum + list.length, 0)
  process.stdout.write(
    `${drawTable(rows, { operation: 'operation', answer: 'answer', versions: 'versions', 'shown by': 'shownBy' })}\n`,
  )
  process.stdout.write(`${total} answers, each as its document says, headers included\n`)
  process.stdout.write(
    `${known.size - empty.length} of ${known.size} cells are shown by a test; empty: ${empty.length}\n`,
  )
  for (const cell of empty) process.stdout.write(`  empty: ${cell}\n`)
  for (const cell of beyond) process.stdout.write(`  beyond the table: ${cell}\n`)
  return empty.length
}

/** Without the file and the version, which stand beside it. */
function titleOf(noted: NotedAnswer | undefined): string {
  if (noted === undefined) return 'NOTHING'
  return noted.test.replace(/^TAP > /, '').replace(/ > 1\.\d\.0(?=:| >)/, '')
}
