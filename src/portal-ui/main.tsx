// This folder is the portal's page in the browser (React, Mantine, TanStack Query). Next, read `app.tsx` (what
// surrounds every page) and `routes.ts` (which page is at which path). `pages/` has a folder for each area, `api/`
// the requests to the portal's JSON API, `calls/` the calls that developers try from the page, `components/` and
// `layout/` shared parts. From the server it imports only the contract: types of the JSON API, paths and samples. It
// decides nothing about access: the portal refuses.

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { readBoot, readStyleNonce } from './boot.ts'
import { watchHistory } from './layout/leaving.ts'
import { pageAt } from './routes.ts'
import { loadWords } from './words.ts'

/** Renders the app after the script of its first page has loaded. */
async function start(): Promise<void> {
  const root = document.getElementById('root')
  if (root === null) throw new Error('the document has no element #root')
  const styleNonce = readStyleNonce()
  // Where react-remove-scroll, which locks the page behind a dialog, looks for the nonce of its style element.
  Object.assign(globalThis, { __webpack_nonce__: styleNonce })
  const [boot] = await Promise.all([readBoot(), loadWords(), pageAt(window.location.href)?.load()])
  watchHistory()
  createRoot(root).render(
    <StrictMode>
      <App boot={boot} styleNonce={styleNonce} />
    </StrictMode>,
  )
}

// Not awaited: with a top-level await the build makes many small files.
void start()
