import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

// A program: prints the lines of src that are neither blank nor comment, for each folder. With the name of a commit it
// counts that commit instead of the files here: `npm run lines -- main~20`.

const commit = process.argv[2]
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
const listed =
  commit === undefined ? git('ls-files', 'src') : git('ls-tree', '-r', '--name-only', commit, 'src')
const sums = new Map<string, number>()
for (const file of listed.split('\n').filter((name) => /\.(?:tsx?|lua)$/.test(name))) {
  const text = commit === undefined ? readFileSync(file, 'utf8') : git('show', `${commit}:${file}`)
  const folder = file.split('/').slice(0, -1).slice(0, 3).join('/')
  sums.set(folder, (sums.get(folder) ?? 0) + codeLines(text, file.endsWith('.lua') ? '--' : '//'))
}
for (const [folder, sum] of [...sums].sort()) process.stdout.write(`${sum}\t${folder}\n`)
process.stdout.write(`${[...sums.values()].reduce((all, sum) => all + sum, 0)}\ttotal\n`)

/** Counts lines that hold code. A comment after code does not hide it. */
function codeLines(text: string, comment: string): number {
  let isInBlock = false
  let count = 0
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (isInBlock) isInBlock = !line.includes('*/')
    else if (line.startsWith('/*')) isInBlock = !line.includes('*/')
    else if (line !== '' && !line.startsWith(comment)) count += 1
  }
  return count
}
