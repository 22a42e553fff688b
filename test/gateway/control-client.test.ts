import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import { controlSocketName } from '../../src/gateway/operate/control.ts'
import { connectControl } from '../../src/gateway/operate/control-client.ts'
import { socketPathIn } from '../../src/platform/database/data-folder.ts'
import { errorText } from '../../src/platform/log/error-text.ts'
import { testFolder } from '../support/database.ts'

const bucket = { bucket: 'tollgate:{app}:xs2a:1.7.0', windowLength: 3_600 }

/** Starts a process whose control socket answers with `answer`; returns its data folder. */
async function startProcess(t: Test, answer: RequestListener): Promise<string> {
  const dataDir = testFolder(t)
  const server = createServer(answer).listen(socketPathIn(dataDir, controlSocketName))
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return dataDir
}

const unfinished: Readonly<Record<string, RequestListener>> = {
  'never answers': () => undefined,
  'never ends its answer': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"states":')
  },
}
for (const [what, answer] of Object.entries(unfinished)) {
  t.test(`a command does not wait forever for a gateway that ${what}`, async (t) => {
    const dataDir = await startProcess(t, answer)
    const control = connectControl({ dataDir, timeoutMs: 50 })
    const late =
      'the gateway on this DATA_DIR did not answer within 0.05 s: try again, and restart the gateway if it still does not answer'
    t.equal(await control.peek([bucket]).catch(errorText), late)
    t.equal(await control.reset(bucket).catch(errorText), late)
  })
}

t.test('without a running gateway a command says how to start one', async (t) => {
  const control = connectControl({ dataDir: testFolder(t) })
  await t.rejects(control.peek([bucket]), {
    name: 'CountersUnreachable',
    message: /^no gateway runs on this DATA_DIR.*npx tollgate start/,
  })
})
