import { PGlite } from '@electric-sql/pglite'

/**
 * PostgreSQL's cache of pages. Its memory is used from the start on, and behind
 * it the kernel caches the files. PostgreSQL's default is 128 MB.
 */
const cache = ['-c', 'shared_buffers=16MB']

/** Arguments of PostgreSQL in the embedded database; they win over the settings in its folder. */
export const startParams: string[] = [...PGlite.defaultStartParams, ...cache]

/** Arguments of initdb, which stores them in the folder. */
export const initDbStartParams: string[] = cache
