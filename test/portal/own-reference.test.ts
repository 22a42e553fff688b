import t from 'tap'
import { ownApis } from '../support/own-apis.ts'
import { petstore } from '../support/petstore.ts'
import { runTollgate } from '../support/tollgate.ts'

const CONFIG_DIR = ownApis(t, { 'pets/1.json': petstore })
const { urls } = await runTollgate(t, { env: { CONFIG_DIR } })

async function open(path: string, accept: string): Promise<string> {
  return (await fetch(`${urls.portal}${path}`, { headers: { accept } })).text()
}

t.test('no document that developers get offers a field that the gateway refuses', async (t) => {
  const document = await open('/api/apis/pets/1/openapi.json', 'application/json')
  t.match(document, '/pets/{petId}')
  t.notMatch(document, 'api_key')
  t.notMatch(await open('/apis/pets/1.md', 'text/markdown'), 'api_key')
})

t.test(
  'before any script, an operation has its security, all responses, and types of what it takes and answers',
  async (t) => {
    const html = await open('/apis/pets/1', 'text/html')
    const [get = '', remove = ''] = html.match(/<article class="sk-op".*?<\/article>/gs) ?? []
    const text = get.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
    for (const shown of [
      '/api/v3/pets/{petId}',
      'In addition to your API key Authorization login , scopes read:pets',
      'petId integer required',
      'Response 200 The pet. application/json object name string required tags array of string',
      'Response 404 No pet has this id.',
      'Response default Something else. application/json object',
    ]) {
      t.match(text, shown)
    }
    t.match(remove, 'Response 404')
    t.notMatch(remove, 'In addition to your API key')
  },
)
