import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** How the page is built: from this folder into `dist/portal-ui` of the repository. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  publicDir: false,
  build: {
    outDir: `${repository}/dist/portal-ui`,
    emptyOutDir: true,
    manifest: true,
    // Data URLs would need a wider policy, and the browser caches files better.
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
  },
})
