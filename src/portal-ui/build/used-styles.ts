import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** Matches the names of the library's classes; every part of a component has its own. */
const className = /\.(m_[0-9a-f]+)/g

/**
 * Leaves out of Mantine's styles the rules of components that no source of the page
 * imports: two thirds of the file that a browser waits for before the first
 * page shows.
 *
 * @param folder absolute; where the sources of the page are
 */
export function usedStyles(folder: string): Plugin {
  return {
    name: 'used-styles',
    apply: 'build',
    enforce: 'pre',
    async transform(code, id) {
      if (!/@mantine\/core\/styles\.css$/.test(id)) return undefined
      const used = await usedClasses(await sourcesIn(folder))
      return { code: withoutUnused(code, used), map: null }
    },
  }
}

/** The text of every script of a folder. */
async function sourcesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true })
  const scripts = names.filter((name) => /\.tsx?$/.test(name))
  return await Promise.all(scripts.map((name) => readFile(join(folder, name), 'utf8')))
}

/** The classes of all modules that the imported components load, by following their imports. */
async function usedClasses(sources: readonly string[]): Promise<ReadonlySet<string>> {
  const index = fileURLToPath(import.meta.resolve('@mantine/core'))
  const names = sources.flatMap((source) =>
    [...source.matchAll(/import\s*\{([^}]*)\}\s*from '@mantine\/core'/g)].flatMap(([, list = '']) =>
      list.split(',').map((name) => name.replace(/^\s*type\s+/, '').trim()),
    ),
  )
  const wanted = new Set(names)
  const seen = new Set<string>()
  const classes = new Set<string>()

  async function follow(path: string): Promise<void> {
    if (seen.has(path)) return
    seen.add(path)
    const code = await readFile(path, 'utf8')
    for (const [name] of code.matchAll(/\bm_[0-9a-f]+\b/g)) classes.add(name)
    const paths = [...code.matchAll(/from "(\.[^"]+)"/g)].map(([, to = '']) => to)
    await Promise.all(paths.map((to) => follow(join(dirname(path), to))))
  }

  const exported = await readFile(index, 'utf8')
  for (const [, list = '', path = ''] of exported.matchAll(
    /import \{([^}]*)\} from "(\.[^"]+)"/g,
  )) {
    const isWanted = list.split(',').some((name) => wanted.has(name.trim()))
    // What surrounds every page.
    if (isWanted || path.includes('/core/')) await follow(join(dirname(index), path))
  }
  if (classes.size === 0) throw new Error('no component of the library was found')
  return classes
}

/** Rules, and conditions with rules in them, without those for unused classes alone. */
function withoutUnused(css: string, used: ReadonlySet<string>): string {
  return blocksOf(css)
    .map(({ prelude, body }) => {
      if (body === undefined) return prelude
      if (/^\s*@(media|supports)/.test(prelude)) {
        const inside = withoutUnused(body, used)
        return inside.trim() === '' ? '' : `${prelude}{${inside}}`
      }
      const classes = [...prelude.matchAll(className)].map(([, name = '']) => name)
      const isUnused = classes.length > 0 && !classes.some((name) => used.has(name))
      return isUnused ? '' : `${prelude}{${body}}`
    })
    .join('')
}

interface Block {
  readonly prelude: string
  /** Undefined for the rest of the text, after the last block. */
  readonly body: string | undefined
}

function blocksOf(css: string): readonly Block[] {
  const blocks: Block[] = []
  let start = 0
  while (start < css.length) {
    const open = css.indexOf('{', start)
    if (open < 0) break
    let depth = 1
    let at = open + 1
    for (; at < css.length && depth > 0; at += 1) {
      if (css[at] === '{') depth += 1
      else if (css[at] === '}') depth -= 1
    }
    blocks.push({ prelude: css.slice(start, open), body: css.slice(open + 1, at - 1) })
    start = at
  }
  return [...blocks, { prelude: css.slice(start), body: undefined }]
}
