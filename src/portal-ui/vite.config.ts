import { defineConfig } from 'vite'

/** Where a portal listens by default. */
const portal = 'http://localhost:8081'

/** How the page is built; the caller chooses the output folder. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  build: {
    emptyOutDir: true,
    manifest: 'manifest.json',
    // Data URLs would need a wider policy, and the browser keeps files.
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Each file costs a request: one for every page, one for what several folders of `pages` share, one for each folder.
        codeSplitting: {
          groups: [
            { name: 'main', tags: ['$initial'] },
            { name: 'shared', minShareCount: 2, test: /^(?!.*portal-ui\/pages\/)/ },
            { name: (id) => /portal-ui\/pages\/(\w+)\//.exec(id)?.[1], debugName: 'pages' },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      // All but the page's own `api/*.ts`, which the browser loads below the same path.
      '^/(problems|reference)/|^/api/(?!.*[.]ts(?:[?]|$))': {
        target: portal,
        // The portal accepts changes only from its own pages.
        headers: { origin: portal },
      },
    },
  },
})
