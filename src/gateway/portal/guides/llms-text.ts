import type { ApiVersion } from '../../../catalogue/catalogue.ts'
import { isDeprecated, isRetired } from '../../../catalogue/lifecycle.ts'
import type { Guide } from './guides.ts'

export interface LlmsTextOptions {
  readonly guides: readonly Pick<Guide, 'name' | 'title' | 'description'>[]
  readonly versions: readonly ApiVersion[]
  /** Origin of the portal. */
  readonly portalUrl: string
  /** The bank's, as the portal shows it. */
  readonly brandName: string
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** Writes `/llms.txt`: what a program that reads for a developer finds here (llmstxt.org). */
export function llmsText({
  guides,
  versions,
  portalUrl,
  brandName,
  nowMs,
}: LlmsTextOptions): string {
  const guideRows = guides.map(
    ({ name, title, description }) =>
      `- [${title}](${portalUrl}/guides/${name}.md): ${description}`,
  )
  const current = versions.filter(({ lifecycle }) => !isRetired(lifecycle, nowMs))
  const referenceRows = current.map(({ api, version, title, lifecycle }) => {
    const note = isDeprecated(lifecycle, nowMs) ? ' (deprecated)' : ''
    return `- [${title} ${version}${note}](${portalUrl}/apis/${api}/${version}.md): every operation with parameters, answers and limits`
  })
  const documentRows = current.map(
    ({ api, version, title }) =>
      `- [${title} ${version}](${portalUrl}/api/apis/${api}/${version}/openapi.json): OpenAPI 3.1, with samples`,
  )
  return `# ${brandName} for developers

> The developer portal of a bank's APIs: accounts, payments and mandates, behind a gateway that counts calls and explains every refusal.

Send the API key in \`X-API-Key\` with every call. The header \`RateLimit\` of an answer says how many calls are left.
Refusals are JSON with a stable \`code\`.

## Guides

${guideRows.join('\n')}

## Reference

${referenceRows.join('\n')}

## OpenAPI documents

${documentRows.join('\n')}

## Optional

- [All error codes](${portalUrl}/problems/): the page of each code explains it
- [The portal's own API](${portalUrl}/api/openapi.json): applications, keys, subscriptions and usage
`
}
