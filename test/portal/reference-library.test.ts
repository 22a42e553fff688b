import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { scalarScript } from '../../src/portal-ui/build/scalar-script.ts'

t.test('only the build of the page loads the library of the reference', async (t) => {
  const users = globSync('src/**/*.{ts,tsx}').filter((file) =>
    /(?:from|import|require|resolve)\s*\(?\s*'@scalar\//.test(readFileSync(file, 'utf8')),
  )
  t.same(users, ['src/portal-ui/build/scalar-script.ts'])
})

t.test(
  'the library of the reference opens no connection, and its undici sends nothing',
  async (t) => {
    const opened: unknown[] = []
    const open = (message: unknown) => void opened.push(message)
    for (const channel of ['net.client.socket', 'undici:request:create']) {
      subscribe(channel, open)
      t.teardown(() => unsubscribe(channel, open))
    }
    const { load } = scalarScript()
    if (typeof load !== 'function') throw new Error('the plugin loads nothing')
    const files: { readonly source: string }[] = []
    const emitFile = (file: { readonly source: string }) => `file-${files.push(file)}`
    await load.call({ emitFile } as never, '\0virtual:scalar-script')
    t.ok((files[0]?.source.length ?? 0) > 1_000_000, 'the script was made')
    t.same(opened, [])
  },
)
