import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { besidePortal } from './build/beside-portal.ts'
import { precompress } from './build/precompress.ts'
import { scalarScript } from './build/scalar-script.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** How the page is built; the caller chooses the output folder. */
export default defineConfig({
  root: here('.'),
  base: '/',
  publicDir: false,
  plugins: [scalarScript(), precompress(), besidePortal()],
  build: {
    emptyOutDir: true,
    manifest: 'manifest.json',
    // Data URLs would need a wider policy, and the browser keeps files.
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: [here('index.html'), here('reference.html')] },
  },
})
