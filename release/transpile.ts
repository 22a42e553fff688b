import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'

export interface TranspileOptions {
  /** Absolute. */
  readonly repository: string
  /** Absolute; gets the same tree. */
  readonly folder: string
  /** Paths of the sources below `repository`. */
  readonly files: readonly string[]
}

/**
 * Copies sources as JavaScript, because Node refuses TypeScript below
 * node_modules. Types become blanks, so every line and column stays where it is
 * in the sources, and a stack trace of a release fits the repository. Other
 * files (Lua, Markdown, JSON) are copied.
 */
export async function transpile({ repository, folder, files }: TranspileOptions): Promise<void> {
  for (const path of files) {
    const source = join(repository, path)
    const target = join(folder, path)
    await mkdir(dirname(target), { recursive: true })
    if (!path.endsWith('.ts')) await copyFile(source, target)
    else
      await writeFile(
        target.replace(/\.ts$/, '.js'),
        toJavaScript(source, await readFile(source, 'utf8')),
      )
  }
}

/** The text of a TypeScript file as JavaScript. `path` is where it lies: what it names beside it decides. */
function toJavaScript(path: string, text: string): string {
  return renameSources(path, stripTypeScriptTypes(text, { mode: 'strip' }))
}

/**
 * Every literal that names a TypeScript file of ours, as `./edge.ts`: of an
 * import, and of a worker that is started by its address.
 */
function renameSources(path: string, text: string): string {
  return text.replaceAll(/(['"`])(\.{1,2}\/[^'"`\n]*)\.ts\1/g, (literal, quote, name) =>
    existsSync(join(dirname(path), `${name}.ts`)) ? `${quote}${name}.js${quote}` : literal,
  )
}
