import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ignoreMissing } from '../../platform/log/error-code.ts'

/** Files below the folder of the configuration; undefined: it is deleted. */
export type Changes = ReadonlyMap<string, Buffer | string | undefined>

/**
 * Runs `work` on a copy of the configuration with changes.
 *
 * @param configDir may be missing
 */
export async function onCopy<Result>(
  configDir: string,
  changes: Changes,
  work: (copy: string) => Promise<Result>,
): Promise<Result> {
  const copy = await mkdtemp(join(tmpdir(), 'tollgate-publish-'))
  try {
    await cp(configDir, copy, { recursive: true, dereference: true }).catch(ignoreMissing)
    await apply(copy, changes)
    return await work(copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Whether all files are there as the changes have them. */
export function isApplied(configDir: string, changes: Changes): boolean {
  return [...changes].every(
    ([path, content]) =>
      content !== undefined && bytesOf(join(configDir, path))?.equals(Buffer.from(content)),
  )
}

/** The content of a file; undefined if it is missing. */
export function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    return ignoreMissing(error)
  }
}

/** Makes the changes: a file appears whole or not at all, and what is deleted goes last. */
export async function apply(configDir: string, changes: Changes): Promise<void> {
  const written: { readonly from: string; readonly to: string }[] = []
  try {
    for (const [path, content] of changes) {
      if (content === undefined) continue
      const to = await targetOf(join(configDir, path))
      await mkdir(dirname(to), { recursive: true })
      // A load ignores names that begin with a dot.
      const from = join(dirname(to), `.${basename(to)}.${randomUUID()}`)
      written.push({ from, to })
      await writeFile(from, content)
    }
    for (const { from, to } of written) await rename(from, to)
  } finally {
    for (const { from } of written) await rm(from, { force: true })
  }
  for (const [path, content] of changes) {
    if (content === undefined) await rm(join(configDir, path), { force: true })
  }
}

/** The file that a symbolic link leads to. */
async function targetOf(file: string): Promise<string> {
  return realpath(file).catch(() => file)
}
