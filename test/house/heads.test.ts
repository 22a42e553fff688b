import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import t from 'tap'

const files = globSync('src/**/*.{ts,tsx}').sort()

/** The files of a folder, without those of the folders in it, that say what it is for. */
function headsOf(folder: string): string[] {
  return files.filter(
    (file) =>
      dirname(file) === folder &&
      /^\s*(?:\/\/|\/\*\*|\*)\s*This folder\b/m.test(readFileSync(file, 'utf8')),
  )
}

/** Folders with sources. */
const folders = [...new Set(files.map((file) => dirname(file)))]
  .filter((folder) => folder !== 'src')
  .sort()

/** Folders without sources of their own, and the file that says what they are for. */
const elsewhere: Readonly<Record<string, string>> = {
  'src/guides': 'src/portal/guides/guide-sources.ts',
  'src/portal-ui/pages': 'src/portal-ui/routes.ts',
}

/** A folder's path without the slash at its end. */
function plain(folder: string): string {
  return folder.replace(/\/$/, '')
}

t.test('each folder with sources has exactly one file that says what it is for', async (t) => {
  t.ok(folders.length > 80, `${folders.length} folders`)
  const wrong = folders
    .map((folder) => ({ folder, heads: headsOf(folder) }))
    .filter(({ heads }) => heads.length !== 1)
  t.same(wrong, [])
})

t.test('a folder without sources of its own has its head in another file', async (t) => {
  const without = globSync('src/*/**/')
    .map(plain)
    .filter((folder) => !folders.includes(folder) && !folder.startsWith('src/guides/'))
  t.same(without.sort(), Object.keys(elsewhere).sort())
  for (const [folder, file] of Object.entries(elsewhere)) {
    const [head = ''] = readFileSync(file, 'utf8').split('\n\n')
    t.match(head, /^\/\/ /, `${file} begins with a head`)
    t.match(head, basename(folder), `${file} names ${folder}`)
  }
})

t.test('a head is the beginning of its file, and short', async (t) => {
  const wrong = folders.flatMap(headsOf).filter((file) => {
    const [head = ''] = readFileSync(file, 'utf8').split('\n\n')
    const lines = head.split('\n')
    return !head.startsWith('// This folder ') || lines.length > 8 || lines.some(isWide)
  })
  t.same(wrong, [])
})

function isWide(line: string): boolean {
  return line.length > 125 || !line.startsWith('// ')
}

/** Paths of the tree in CONTRIBUTING.md, folders with a slash at their end. */
function treeOfContributing(): string[] {
  const text = readFileSync('CONTRIBUTING.md', 'utf8')
  const [, tree = ''] = /## Where things are\n\n```\n(.*?)```/s.exec(text) ?? []
  const above: string[] = []
  return Array.from(tree.matchAll(/^( *)(\S+)/gm), ([, indent = '', name = '']) => {
    above.length = indent.length / 2
    const path = above.join('') + name
    above.push(name)
    return path
  })
}

t.test('the tree of CONTRIBUTING.md has every room, and nothing that does not exist', async (t) => {
  const tree = treeOfContributing()
  t.ok(tree.length > 20, `${tree.length} paths`)
  t.same(
    tree.filter((path) => !existsSync(path)),
    [],
    'named, and not there',
  )
  const rooms = globSync(['src/*/', 'src/gateway/*/']).map(plain)
  t.ok(rooms.length > 10, `${rooms.length} rooms`)
  t.same(
    rooms.filter((room) => !tree.includes(`${room}/`)),
    [],
    'there, and not named',
  )
})

t.test('no line of a comment is wider than 125 columns', async (t) => {
  const sources = globSync('{src,test,proofs,bin,release}/**/*.{ts,tsx,js,css,lua}')
  t.ok(sources.length > 1_500, `${sources.length} files`)
  const wide = sources.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        /^\s*(?:\/[/*]|\*|-- )/.test(line) && line.length > 125 ? [`${file}:${index + 1}`] : [],
      ),
  )
  t.same(wide, [])
})
