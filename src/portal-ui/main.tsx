import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { readBoot, readStyleNonce } from './boot.ts'
import { pageAt } from './routes.ts'

/** Draws the page, with the script of what it is about to show at hand. */
async function start(): Promise<void> {
  const root = document.getElementById('root')
  if (root === null) throw new Error('the document has no element #root')
  await pageAt(window.location.href)?.load()
  createRoot(root).render(
    <StrictMode>
      <App boot={readBoot()} styleNonce={readStyleNonce()} />
    </StrictMode>,
  )
}

// Not awaited: a module that waits is cut into many small files.
void start()
