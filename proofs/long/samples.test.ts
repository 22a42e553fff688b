import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

import { createGuides, type GuidePart } from '../../src/portal/guides/guides.ts'
import { answerContracts } from '../../test/support/answer-contract.ts'
import { publishedCatalogue } from '../../test/support/published-catalogue.ts'
import {
  type Language,
  languageMissing,
  languages,
  runSample,
} from '../../test/support/run-sample.ts'
import { createSeal } from '../../test/support/seal.ts'
import { newApplication, registryBeside, runTollgate } from '../../test/support/tollgate.ts'
import { proofSize } from '../size.ts'

const catalogue = await publishedCatalogue()
const versions = [...catalogue.versions.values()].map((version) => ({
  version,
  // Before Tollgate starts: it runs in this process, and compiling them takes a while.
  contracts: answerContracts(version),
}))
const { urls, dataDir } = await runTollgate(t, { isEmbedded: true })
const stores = await registryBeside(t, dataDir)
// Each uses its own application.
t.jobs = languages.length

/** One answer as a sample printed it; curl prints the header fields, too. */
interface Printed {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** The parts of a served document that the tests read. */
interface ServedDocument {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, ServedOperation>>>>
}

interface ServedOperation {
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[]
}

function answersOf(language: Language, output: string): readonly Printed[] {
  return language === 'curl' ? answersOfCurl(output) : linesOf(output)
}

function linesOf(output: string): readonly Printed[] {
  return output
    .trimEnd()
    .split('\n')
    .map((line) => ({ status: Number(line.slice(0, 3)), body: line.slice(4) }))
}

function answersOfCurl(output: string): readonly Printed[] {
  return output.split(/^(?=HTTP\/1\.1 )/m).map((answer) => {
    const [head = '', ...rest] = answer.split('\r\n\r\n')
    const [first = '', ...fields] = head.split('\r\n')
    const headers = fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    })
    return {
      status: Number(first.split(' ')[1]),
      headers: Object.fromEntries(headers),
      body: rest.join('').trim(),
    }
  })
}

/** The variables that a sample says the reader is to keep, from where it says they are. */
function keptVariables(source: string, body: unknown): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [, name = '', place = ''] of source.matchAll(/export (\w+)=…\s+\((.+)\)/g)) {
    const path = place.replace('the last part of ', '')
    let value = body
    for (const member of path.split(/[.[\]]+/).filter((part) => part !== '')) {
      // Whatever the answer holds: what is not there becomes "undefined", which no later call accepts.
      value = (value as Record<string, unknown> | undefined)?.[member]
    }
    kept[name] = path === place ? String(value) : (String(value).split('/').at(-1) ?? '')
  }
  return kept
}

// A share is those in curl, whose answers are checked with their headers.
for (const language of languages.slice(0, proofSize({ share: 1, whole: languages.length }))) {
  const skip = await languageMissing(language)
  const { key } = await newApplication(stores, language)
  t.test(
    `every sample in ${language} works as it stands, in the order of the reference`,
    { skip, timeout: 300_000 },
    async (t) => {
      const folder = t.testdir()
      let samplesRun = 0
      for (const { version, contracts } of versions) {
        const path = `/api/apis/${version.api}/${version.version}/openapi.json`
        // What is wrong with its shape fails the assertions below.
        const document = (await (await fetch(`${urls.portal}${path}`)).json()) as ServedDocument
        const order = [...document.info.description.matchAll(/^\d+\. \[.*\]\(.*\/(\w+)\)$/gm)]
        const ids = order.map(([, id = '']) => id)
        t.same(
          ids.toSorted(),
          version.operations.map(({ id }) => id).toSorted(),
          `the description of ${version.api} ${version.version} puts every operation in order`,
        )
        const variables: Record<string, string> = { API_KEY: key }
        for (const id of ids) {
          const operation = version.operations.find((known) => known.id === id)
          const { template = '', method = 'GET' } = operation ?? {}
          const samples = document.paths[template]?.[method.toLowerCase()]?.['x-codeSamples'] ?? []
          const name = `${version.version} ${id}`
          t.same(
            samples.map(({ label }) => label),
            languages,
            `${name} has a sample in each language`,
          )
          const source = samples[languages.indexOf(language)]?.source ?? ''
          const output = await runSample({ language, source, folder, variables })
          const answers = answersOf(language, output)
          t.ok(answers.length > 0, name)
          for (const { status, headers, body: text } of answers) {
            t.ok(status >= 200 && status < 300, `${name} answers ${status}`, { text, source })
            const body = text === '' ? undefined : JSON.parse(text)
            const violations = contracts.get(id)?.({
              status,
              headers: headers ?? {},
              body,
              contentType: headers?.['content-type'] ?? (body && 'application/json'),
            })
            t.same(
              violations?.filter(({ in: place }) => headers !== undefined || place !== 'header'),
              [],
              `${name} answers as its document says`,
            )
            Object.assign(variables, keptVariables(source, body))
          }
          samplesRun += 1
        }
      }
      t.equal(samplesRun, 45)
    },
  )
}

t.test(
  'every command of the guides works as it stands, in the order of its guide',
  { skip: await languageMissing('curl'), timeout: 300_000 },
  async (t) => {
    const { key } = await newApplication(stores, 'guides')
    const guides = createGuides({
      catalogue: () => catalogue,
      gatewayUrl: () => urls.gateway,
      portalUrl: () => urls.portal,
      now: Date.now,
    })
    const folder = t.testdir()
    const seal = createSeal(t, 'rsa')
    writeFileSync(join(folder, 'qseal.pem'), seal.pem)
    writeFileSync(join(folder, 'qseal.key'), seal.key.export({ type: 'pkcs8', format: 'pem' }))
    let commandsRun = 0
    for (const { name, parts } of guides.list('en')) {
      const variables: Record<string, string> = { API_KEY: key }
      for (const part of parts) {
        const source = part.kind === 'samples' ? part.samples[0]?.source : commandOf(part)
        if (source === undefined) continue
        const language = source.startsWith('import') ? 'Node.js' : 'curl'
        const output = await runSample({ language, source, folder, variables })
        for (const { status, body } of answersOf(language, output)) {
          t.ok(status >= 200 && status < 300, `${name} answers ${status}`, { body, source })
          Object.assign(variables, keptVariables(source, JSON.parse(body || 'null')))
        }
        commandsRun += 1
      }
    }
    t.ok(commandsRun > 20, `${commandsRun} commands`)
  },
)

/** The source of a block that makes calls and ends; the others only set the key, need https, or use up a limit. */
function commandOf(part: GuidePart): string | undefined {
  if (part.kind !== 'code' || !['sh', 'js'].includes(part.language)) return undefined
  const source = part.source.replace('export API_KEY=tg_…', '').trim()
  return source === '' || /--cert|while/.test(source) ? undefined : source
}
