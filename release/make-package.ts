import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makePackageFolder } from './package-folder.ts'

// A program: `node release/make-package.ts <folder> [<commit>]` makes the folder of a release, below this repository.

const [folder, revision] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: make-package.ts <folder> [<commit>]')
const repository = fileURLToPath(new URL('..', import.meta.url))
await makePackageFolder({ repository, folder: resolve(folder), revision })
