import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { besidePortal } from './build/beside-portal.ts'
import { lateStyles } from './build/late-styles.ts'
import { pageMessages } from './build/page-messages.ts'
import { pageSources } from './build/page-sources.ts'
import { precompress } from './build/precompress.ts'
import { usedStyles } from './build/used-styles.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** How the page is built; the caller chooses the output folder. */
export default defineConfig({
  root: here('.'),
  base: '/',
  publicDir: false,
  resolve: {
    alias: [
      {
        find: './TableScrollContainer.mjs',
        replacement: here('build/no-scroll-container.ts'),
      },
    ],
  },
  plugins: [
    pageMessages(here('.')),
    lateStyles(),
    pageSources(here('routes.ts')),
    usedStyles(here('.')),
    precompress(),
    besidePortal(),
  ],
  build: {
    emptyOutDir: true,
    manifest: 'manifest.json',
    // Data URLs would need a wider policy, and the browser keeps files.
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: [here('index.html')],
      // What nearly every page needs comes in one file: each costs a request and its headers.
      output: { codeSplitting: { groups: [{ name: 'common', minShareCount: 20 }] } },
    },
  },
})
