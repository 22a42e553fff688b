import { type Block, htmlOf, textOf } from './letter-body.ts'
import { type Letter, optionalKinds, wordsOf } from './letters.ts'
import type { OptOuts } from './opt-out.ts'

export interface RenderedLetter {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Address of RFC 8058's one-click request; null where the mail cannot be opted out of. */
  readonly optOutUrl: string | null
}

export interface RenderOptions {
  /** The portal's own origin: every link begins with it. */
  readonly portalUrl: string
  readonly optOuts: Pick<OptOuts, 'sign'>
}

/** Writes a letter out as text and as HTML. */
export function renderLetter(
  letter: Letter,
  { portalUrl, optOuts }: RenderOptions,
): RenderedLetter {
  const { subject, blocks } = wordsOf(letter, portalUrl)
  const token = optOutToken(letter, optOuts)
  const whole = [...blocks, ...footer(portalUrl, token)]
  return {
    subject,
    text: textOf(whole),
    html: htmlOf(subject, whole),
    optOutUrl: token === undefined ? null : `${portalUrl}/api/mail-opt-outs/${token}`,
  }
}

function optOutToken(letter: Letter, optOuts: Pick<OptOuts, 'sign'>): string | undefined {
  const mail = optionalKinds[letter.kind]
  return mail === undefined || !('developerId' in letter)
    ? undefined
    : optOuts.sign({ developerId: letter.developerId, mail })
}

function footer(portalUrl: string, token: string | undefined): Block[] {
  const origin = `The developer portal at ${portalUrl} sent this email. Please don't reply to it.`
  if (token === undefined) return [origin]
  return [
    origin,
    { link: 'Stop emails of this kind', url: `${portalUrl}/mails/opt-out#token=${token}` },
  ]
}
