import fc from 'fast-check'
import t from 'tap'
import { localPath } from '../../src/portal-ui/local-path.ts'
import '../support/draw.ts'

t.test('a sign-in leads back to pages of the portal', async (t) => {
  for (const path of ['/', '/applications', '/applications/1/keys?x=%2F#top', '/apis/xs2a/1.7.0']) {
    t.equal(localPath(path), path)
  }
})

t.test('a sign-in leads nowhere else, whatever the address says', async (t) => {
  for (const text of [
    null,
    undefined,
    '',
    'applications',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    'https:evil.example',
    'https:/evil.example',
    'https://evil.example',
    'https://evil.example/applications',
    'http:///evil.example',
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,x',
    '%2f%2fevil.example',
    '/applications/../..//evil.example',
    'data:text/html,<script>alert(1)</script>',
    '/sign-in?next=/sign-in',
    ' /applications',
    '/ü',
  ]) {
    t.equal(localPath(text), undefined, String(text))
  }
})

t.test('what it lets pass never leaves the origin', async () => {
  const odd = fc.string({
    unit: fc.constantFrom('/', '\\', '.', ':', '@', '%2f', '\t', 'a', '?', '#'),
  })
  fc.assert(
    fc.property(odd, (tail) => {
      const path = localPath(`/${tail}`)
      return (
        path === undefined ||
        new URL(path, 'https://portal.example').origin === 'https://portal.example'
      )
    }),
    { numRuns: 2_000 },
  )
})
