import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { readBoot, readStyleNonce } from './boot.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the document has no element #root')
createRoot(root).render(
  <StrictMode>
    <App boot={readBoot()} styleNonce={readStyleNonce()} />
  </StrictMode>,
)
