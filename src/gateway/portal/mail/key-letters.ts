import type { KeyDigest, NotedChange } from '../../registry/key-digests.ts'
import type { LetterText, Words } from './letter-body.ts'
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
  'key-issued': (portalUrl: string, key: KeyFacts) =>
    keyLetter(portalUrl, key, {
      subject: 'An API key was created',
      sentence:
        'One of your applications has a new API key. The key itself was shown only once, when it was created.',
    }),

  'key-revoked': (portalUrl: string, key: KeyFacts) =>
    keyLetter(portalUrl, key, {
      subject: 'An API key was revoked',
      sentence:
        'An API key of one of your applications was revoked. The gateway now refuses calls with it.',
    }),

  'key-replaced': (portalUrl: string, key: ReplacedFacts) =>
    keyLetter(portalUrl, key, {
      subject: 'An API key was replaced',
      sentence: `An API key of one of your applications ${key.isByItself ? 'replaced itself, as you allowed it to' : 'was replaced'}. The old key ${
        key.worksUntil === null ? 'no longer works' : `works until ${utcTime(key.worksUntil)}`
      }.`,
    }),

  'key-self-replacement': (
    portalUrl: string,
    key: KeyFacts & { readonly mayReplaceItself: boolean },
  ) =>
    keyLetter(portalUrl, key, {
      subject: key.mayReplaceItself
        ? 'An API key may now replace itself'
        : 'An API key may no longer replace itself',
      sentence: key.mayReplaceItself
        ? 'A program with this key can now replace it by a new key, without a person.'
        : 'Only a person can now replace this key.',
    }),

  'key-addresses-changed': (portalUrl: string, key: KeyFacts) =>
    keyLetter(portalUrl, key, {
      subject: 'The allowed addresses of an API key were changed',
      sentence:
        'The list of addresses that may use one of your API keys was changed. The portal shows the new list.',
    }),

  /** The digest of an hour with many changes. */
  'keys-changed': (portalUrl: string, digest: Omit<KeyDigest, 'email'>) => ({
    subject: 'Several API keys were changed',
    blocks: [
      `Your API keys were changed many times after ${utcTime(digest.since)}. We reported the first changes in separate emails. These are the others.`,
      ...digest.changes.map(({ action, applicationName, keyName, hint, at }) => ({
        facts: [
          { label: 'Application', name: applicationName },
          { label: 'Key', name: keyName },
          { label: 'Hint', value: hint },
          { label: changeLabels[action], value: utcTime(new Date(at)) },
        ],
      })),
      ...(digest.more === 0
        ? []
        : [`And ${digest.more} more ${digest.more === 1 ? 'change' : 'changes'}.`]),
      { link: 'If this was not you, check your keys', url: `${portalUrl}/applications` },
    ],
  }),
} satisfies Record<string, Words>

const changeLabels: Readonly<Record<NotedChange['action'], string>> = {
  issue: 'Created',
  replace: 'Replaced',
  revoke: 'Revoked',
  update: 'Changed',
}

function keyLetter(
  portalUrl: string,
  key: KeyFacts & Partial<ReplacedFacts>,
  { subject, sentence }: { readonly subject: string; readonly sentence: string },
): LetterText {
  return {
    subject,
    blocks: [
      sentence,
      {
        facts: [
          { label: 'Application', name: key.applicationName },
          { label: 'Key', name: key.keyName },
          { label: key.newHint === undefined ? 'Hint' : 'Old hint', value: key.hint },
          ...(key.newHint === undefined ? [] : [{ label: 'New hint', value: key.newHint }]),
          { label: 'When', value: utcTime(key.at) },
        ],
      },
      {
        link: 'If this was not you, check your keys',
        url: `${portalUrl}/applications/${key.applicationId}/keys`,
      },
    ],
  }
}
