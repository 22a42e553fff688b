import type { ReactNode } from 'react'
import type { PublishedApis } from '../../../portal/api/schemas/catalogue.ts'
import type { AuditEntry } from '../../../portal/api/schemas/operator.ts'
import { useApis } from '../../api/catalogue.ts'
import { Message } from '../../components/message.tsx'
import { wholeNumber } from '../../in-words.ts'
import { limitOfVersion, planTitle, versionTitle } from '../../published.ts'
import { knownMessage, t } from '../../words.ts'

/** An entry of the audit log as a sentence: who did what to what. */
export function AuditSentence({ entry }: { readonly entry: AuditEntry }) {
  const { data: apis } = useApis()
  const { action, actor, actorName, subject, subjectName, applicationName, detail } = entry
  const known = knownMessage(`audit.${action}`)
  const values = {
    actor: <Party party={actor} name={actorName} />,
    subject: <Party party={subject} name={subjectName} />,
    forPage: detail['forPage'] === undefined ? 'no' : 'yes',
    ofApplication: applicationName === null ? 'no' : 'yes',
    application: <bdi>{applicationName}</bdi>,
    // ICU has no argument that may be missing.
    ...Object.fromEntries(detailNames.map((name) => [name, detail[name] ?? '–'])),
    calls: detail['calls'] === undefined ? '–' : wholeNumber(Number(detail['calls'])),
    ...named(apis, detail),
  }
  if (known !== undefined) return <Message id={known} values={values} />
  return <Message id="audit.other" values={{ ...values, action: <code>{action}</code> }} />
}

/** Members of the detail that sentences mention. */
const detailNames = ['version', 'plan', 'limit', 'mode', 'changed', 'factor'] as const

/** The members that name a version of an API, its plan or its limit, by their titles. */
function named(apis: PublishedApis | undefined, detail: AuditEntry['detail']) {
  const { api, version, plan, limit } = detail
  if (api === undefined || version === undefined) return {}
  return {
    version: <bdi>{versionTitle(apis, { api, version })}</bdi>,
    ...(plan === undefined ? {} : { plan: <bdi>{planTitle(apis, { api, version, plan })}</bdi> }),
    ...(limit === undefined
      ? {}
      : { limit: <bdi>{limitOfVersion(apis, { api, version, limit })}</bdi> }),
  }
}

/** A person or thing by its name; by its kind and the beginning of its id if it no longer has one. */
export function Party({ party, name }: { readonly party: string; readonly name: string | null }) {
  return <strong title={party}>{name === null ? nameless(party) : <bdi>{name}</bdi>}</strong>
}

function nameless(party: string): ReactNode {
  const { kind, id } = partyOf(party)
  const known = knownMessage(`party.${kind}`)
  const noun = known === undefined ? kind : t(known)
  return id === '' ? (
    noun
  ) : (
    <>
      {noun} <bdi>{id.length > 12 ? `${id.slice(0, 8)}…` : id}</bdi>
    </>
  )
}

/** The kind and id of an actor or subject: `developer:<id>`. */
export function partyOf(party: string): { readonly kind: string; readonly id: string } {
  const colon = party.indexOf(':')
  return colon === -1
    ? { kind: party, id: '' }
    : { kind: party.slice(0, colon), id: party.slice(colon + 1) }
}

/** A party in words: `developer:<id>` is "Developer" and the id. */
export function partyInWords(party: string): string {
  const { kind, id } = partyOf(party)
  const known = knownMessage(`party.${kind}`)
  return [known === undefined ? kind : t(known), id].join(' ').trim()
}
