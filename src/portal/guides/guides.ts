import type { ApiVersion, OpenApiDocument } from '../../catalogue/catalogue.ts'
import { textsOf } from '../../catalogue/in-language.ts'
import type { Language } from '../../messages/language.ts'
import { createServedDocument } from '../documents/served-document.ts'
import type { PortalServices } from '../services.ts'
import { answerExample } from './answer-example.ts'
import { expandGuide, operationsShown } from './expand-guide.ts'
import { type GuideSample, guideSamples } from './guide-samples.ts'
import { type GuideName, type GuideSource, readGuideSources } from './guide-sources.ts'
import { versionOfGuide } from './guide-version.ts'
import { type GuideHeading, type RenderedMarkdown, renderMarkdown } from './render-markdown.ts'

/** A piece of a published guide. */
export type GuidePart =
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'code'; readonly language: string; readonly source: string }
  | ({ readonly kind: 'samples'; readonly summary: string } & GuideSample)

/** A guide as readers get it in one language. */
export interface Guide {
  readonly name: GuideName
  readonly title: string
  readonly description: string
  readonly headings: readonly GuideHeading[]
  readonly parts: readonly GuidePart[]
  /** The whole guide as Markdown, with samples for curl. */
  readonly markdown: string
}

/** The guides that apply to the catalogue. */
export interface Guides {
  readonly list: (language: Language) => readonly Guide[]
  /** Undefined for an unknown name. */
  readonly find: (name: string, language: Language) => Guide | undefined
}

/** Opens the guides. Each is made once for a document of its version: the days in its examples move on every day. */
export function createGuides(
  services: Pick<PortalServices, 'catalogue' | 'gatewayUrl' | 'portalUrl' | 'now'>,
): Guides {
  const { catalogue, gatewayUrl, portalUrl, now } = services
  const sources = readGuideSources()
  // Guides show samples, which are not drills.
  const servedDocument = createServedDocument({ gatewayUrl, now, hasDrills: () => false })
  const made = new Map<string, { readonly of: object; readonly guide: Guide }>()
  const anyVersion = {}

  const guideOf = (source: GuideSource, language: Language): Guide | undefined => {
    const { name, topic } = source
    const published = versionOfGuide(source, catalogue(), now())
    if (topic !== undefined && published === undefined) return undefined
    const document = published && servedDocument(published)
    const key = `${language} ${name}`
    const known = made.get(key)
    if (known !== undefined && known.of === (document ?? anyVersion)) return known.guide
    const guide = makeGuide({ source, language, published, document, gatewayUrl, portalUrl })
    made.set(key, { of: document ?? anyVersion, guide })
    return guide
  }

  return {
    list: (language) => sources.flatMap((source) => guideOf(source, language) ?? []),
    find(name, language) {
      const source = sources.find((known) => known.name === name)
      return source && guideOf(source, language)
    },
  }
}

interface MakeGuideOptions extends Pick<PortalServices, 'gatewayUrl' | 'portalUrl'> {
  readonly source: GuideSource
  readonly language: Language
  readonly published: ApiVersion | undefined
  /** The document of that version, as developers get it. */
  readonly document: OpenApiDocument | undefined
}

function makeGuide({
  source,
  language,
  published,
  document,
  ...services
}: MakeGuideOptions): Guide {
  const gatewayUrl = services.gatewayUrl()
  const portalUrl = services.portalUrl()
  const textIn = (chosen: Language) =>
    expandGuide(source.texts[chosen], { gateway: gatewayUrl, portal: portalUrl, published }, chosen)
  const english = renderMarkdown(textIn('en'))
  // The same in every language, so that a link to a heading leads there from each.
  const ids = english.headings.map(({ id }) => id)
  const rendered = language === 'en' ? english : renderMarkdown(textIn(language), ids)
  const samples =
    published === undefined || document === undefined
      ? []
      : guideSamples({
          published,
          document,
          gatewayUrl,
          // Comments of code are English.
          title: english.title,
          operationIds: operationsShown(source.texts.en),
        })
  const texts = published && textsOf(published, language)
  const parts = rendered.parts
    .flatMap((part) => partOf(part, samples, document))
    .map((part) =>
      part.kind === 'samples' && texts !== undefined
        ? { ...part, summary: texts.operation(part.operation) }
        : part,
    )
  const { title, description, headings } = rendered
  const markdown = asMarkdown(textIn(language), samples, document, portalUrl)
  return { name: source.name, title, description, headings, parts, markdown }
}

function partOf(
  part: RenderedMarkdown['parts'][number],
  samples: readonly GuideSample[],
  document: OpenApiDocument | undefined,
): readonly GuidePart[] {
  if (part.kind === 'html') return [part]
  const { info, source } = part
  const [directive = '', id = '', name] = info.split(' ')
  const sample = samples.find(({ operation }) => operation.id === id)
  if (directive === 'sample') {
    if (sample === undefined) return []
    return [{ kind: 'samples', summary: sample.operation.summary, ...sample }]
  }
  if (directive === 'answer') {
    const example = document && sample && answerExample(document, sample.operation, name)
    return example === undefined ? [] : [{ kind: 'code', language: 'json', source: example }]
  }
  return [{ kind: 'code', language: directive, source }]
}

/** With the samples for curl in place, and links that lead to Markdown where there is some. */
function asMarkdown(
  text: string,
  samples: readonly GuideSample[],
  document: OpenApiDocument | undefined,
  portalUrl: string,
): string {
  const filled = text.replaceAll(
    /^```(sample|answer) (\w+) ?(\w*)\n```$/gm,
    (_, directive, id, name) => {
      const sample = samples.find(({ operation }) => operation.id === id)
      if (sample === undefined) return ''
      if (directive === 'sample') return fenced('sh', sample.samples[0]?.source ?? '')
      return fenced('json', (document && answerExample(document, sample.operation, name)) ?? '')
    },
  )
  return filled
    .replaceAll(/\]\((\/guides\/[^)#]+)(#[^)]*)?\)/g, `](${portalUrl}$1.md$2)`)
    .replaceAll(/\]\(\/(?!\/)/g, `](${portalUrl}/`)
}

function fenced(language: string, source: string): string {
  return `\`\`\`${language}\n${source}\n\`\`\``
}
