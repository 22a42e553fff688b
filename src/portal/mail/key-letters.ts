import type { MessageId, Words } from '../../messages/format.ts'
import type { KeyDigest, NotedChange } from '../stores/mail/key-digests.ts'
import type { LetterText, LetterWriter } from './letter-body.ts'
import { utcTime } from './utc-time.ts'

/** What a mail shows of a key; never the key itself. */
interface KeyFacts {
  readonly developerId: string
  readonly applicationId: string
  readonly applicationName: string
  readonly keyName: string
  /** `tg_<id>_…<last four>`. */
  readonly hint: string
  readonly at: Date
}

/** What was set for a key, if anything was. */
interface ChosenFacts extends KeyFacts {
  readonly mayReplaceItself?: boolean | undefined
  /** How many addresses are allowed now; 0: all. */
  readonly allowedAddresses?: number | undefined
}

/** A rotation: one mail for both keys. */
interface ReplacedFacts extends KeyFacts {
  readonly newHint: string
  /** Until when the old key works; null: it no longer works. */
  readonly worksUntil: Date | null
  /** Whether the key did so itself, without a person. */
  readonly isByItself: boolean
}

/**
 * Letters that report changes of keys, by their developer, an operator or a
 * command. They have no opt-out: a thief of a session would use it first.
 */
export const keyLetters = {
  'key-issued': (portalUrl: string, key: ChosenFacts, words: Words) =>
    keyLetter(portalUrl, key, {
      words,
      subject: words.t('mail.keyIssued.subject'),
      sentence: words.t('mail.keyIssued.lead'),
      ...(key.mayReplaceItself === true ? { more: words.t('mail.keySelf.lead') } : {}),
    }),

  'key-revoked': (portalUrl: string, key: KeyFacts, words: Words) =>
    keyLetter(portalUrl, key, {
      words,
      subject: words.t('mail.keyRevoked.subject'),
      sentence: words.t('mail.keyRevoked.lead'),
    }),

  'key-replaced': (portalUrl: string, key: ReplacedFacts, words: Words) =>
    keyLetter(portalUrl, key, {
      words,
      subject: words.t('mail.keyReplaced.subject'),
      sentence: replacedSentence(key, words),
    }),

  'key-self-replacement': (
    portalUrl: string,
    key: ChosenFacts & { readonly mayReplaceItself: boolean },
    words: Words,
  ) =>
    keyLetter(portalUrl, key, {
      words,
      subject: words.t(
        key.mayReplaceItself ? 'mail.keySelf.subject' : 'mail.keySelf.subjectNoMore',
      ),
      sentence: words.t(key.mayReplaceItself ? 'mail.keySelf.lead' : 'mail.keySelf.leadNoMore'),
      ...(key.allowedAddresses === undefined ? {} : { more: addressesSentence(key, words) }),
    }),

  'key-addresses-changed': (portalUrl: string, key: ChosenFacts, words: Words) =>
    keyLetter(portalUrl, key, {
      words,
      subject: words.t('mail.keyAddresses.subject'),
      sentence: addressesSentence(key, words),
    }),

  /** The digest of an hour with many changes. */
  'keys-changed': (
    portalUrl: string,
    digest: Omit<KeyDigest, 'email'>,
    { t, language }: Words,
  ) => ({
    subject: t('mail.keysChanged.subject'),
    blocks: [
      t('mail.keysChanged.lead', { since: utcTime(digest.since, language) }),
      ...digest.changes.map(({ action, applicationName, keyName, hint, at }) => ({
        facts: [
          { label: t('mail.fact.application'), name: applicationName },
          { label: t('mail.fact.key'), name: keyName },
          { label: t('mail.fact.hint'), value: hint },
          { label: t(changeLabels[action]), value: utcTime(new Date(at), language) },
        ],
      })),
      ...(digest.more === 0 ? [] : [t('mail.keysChanged.more', { more: digest.more })]),
      { link: t('mail.checkKeys'), url: `${portalUrl}/applications` },
    ],
  }),
} satisfies Record<string, LetterWriter>

function addressesSentence({ allowedAddresses }: ChosenFacts, { t }: Words): string {
  return t(allowedAddresses === 0 ? 'mail.keyAddresses.leadNone' : 'mail.keyAddresses.lead')
}

function replacedSentence({ isByItself, worksUntil }: ReplacedFacts, words: Words): string {
  const { t, language } = words
  if (worksUntil === null) {
    return t(isByItself ? 'mail.keyReplaced.selfEnded' : 'mail.keyReplaced.ended')
  }
  const until = utcTime(worksUntil, language)
  return t(isByItself ? 'mail.keyReplaced.selfUntil' : 'mail.keyReplaced.until', { until })
}

const changeLabels: Readonly<Record<NotedChange['action'], MessageId>> = {
  issue: 'mail.fact.issue',
  replace: 'mail.fact.replace',
  revoke: 'mail.fact.revoke',
  update: 'mail.fact.update',
}

interface KeySentence {
  readonly words: Words
  readonly subject: string
  readonly sentence: string
  /** What else has changed at once. */
  readonly more?: string
}

function keyLetter(
  portalUrl: string,
  key: KeyFacts & Partial<ReplacedFacts>,
  { words, subject, sentence, more }: KeySentence,
): LetterText {
  const { t, language } = words
  return {
    subject,
    blocks: [
      sentence,
      ...(more === undefined ? [] : [more]),
      {
        facts: [
          { label: t('mail.fact.application'), name: key.applicationName },
          { label: t('mail.fact.key'), name: key.keyName },
          {
            label: key.newHint === undefined ? t('mail.fact.hint') : t('mail.fact.oldHint'),
            value: key.hint,
          },
          ...(key.newHint === undefined
            ? []
            : [{ label: t('mail.fact.newHint'), value: key.newHint }]),
          { label: t('mail.fact.when'), value: utcTime(key.at, language) },
        ],
      },
      {
        link: t('mail.checkKeys'),
        url: `${portalUrl}/applications/${key.applicationId}/keys`,
      },
    ],
  }
}
