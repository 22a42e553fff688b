import { Text } from '@mantine/core'
import type { MouseEvent } from 'react'
import type { Guide } from '../../../portal/api/schemas/guides.ts'
import { useKeyHint } from '../../api/key-hint.ts'
import { useSession } from '../../api/session.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { CodeTabs } from '../../components/code-tabs.tsx'
import { Message } from '../../components/message.tsx'
import { MethodBadge } from '../../components/method-badge.tsx'
import { useGoTo } from '../../go-to.ts'
import { t } from '../../words.ts'
import classes from './guides.module.css'

type Part = Guide['parts'][number]

/** Stands in a guide for a key. */
const keyPlace = 'tg_…'
/** What a reader copies instead; code is English in every language. */
const pastedKey = "API_KEY='paste your key'"

/** The text of a guide with its code. */
export function GuideBody({ parts }: { readonly parts: readonly Part[] }) {
  const hint = useKeyHint()
  const { data: session } = useSession()
  const goTo = useGoTo()
  /** Links within the portal change the page without reloading the document. */
  const follow = (event: MouseEvent<HTMLElement>) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey)
    const href = link?.getAttribute('href') ?? ''
    if (!isPlain || !href.startsWith('/')) return
    event.preventDefault()
    goTo(href)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links inside are the targets, by mouse and keyboard alike
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <div
      className={classes['body']}
      data-signed-in={session?.developer === undefined ? undefined : true}
      onClick={follow}
    >
      {parts.map((part, index) => {
        // The parts of a guide never change their order.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        return <GuidePart key={index} part={part} hint={hint} />
      })}
    </div>
  )
}

function GuidePart({ part, hint }: { readonly part: Part; readonly hint: string | undefined }) {
  if (part.kind === 'html') {
    // The server made it from our own Markdown, in which HTML is text.
    // biome-ignore lint/security/noDangerouslySetInnerHtml: see above
    return <div className={classes['text']} dangerouslySetInnerHTML={{ __html: part.html }} />
  }
  if (part.kind === 'samples') {
    const { method, path, summary, samples } = part
    return (
      <figure className={classes['sample']}>
        <figcaption dir="ltr">
          <MethodBadge method={method} /> <code>{path}</code>
        </figcaption>
        <CodeTabs samples={samples} label={summary} />
      </figure>
    )
  }
  const { language, source } = part
  const hasKey = source.includes(keyPlace)
  return (
    <div>
      <CodeBlock
        source={source.replaceAll(`API_KEY=${keyPlace}`, pastedKey)}
        label={codeLabels()[language] ?? t('guides.code')}
        top={codeLabels()[language]}
      />
      {hasKey && hint !== undefined ? (
        <Text size="sm" c="dimmed" mt={6}>
          <Message id="guides.yourKey" values={{ hint: <code dir="ltr">{hint}</code> }} />
        </Text>
      ) : null}
    </div>
  )
}

function codeLabels(): Readonly<Record<string, string>> {
  return { sh: t('guides.shell'), json: 'JSON', js: 'Node.js', '': 'HTTP' }
}
