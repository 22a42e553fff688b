import type { SecurityEvent } from '../../../portal/api/schemas/operator.ts'
import { Message } from '../../components/message.tsx'
import { knownMessage, t } from '../../words.ts'
import { Party } from './audit-words.tsx'

/** An event in words; an event of a newer version stays unchanged. */
export function eventInWords(event: string): string {
  const known = knownMessage(`securityEvent.${event}`)
  return known === undefined ? event : t(known)
}

/** A security event as a sentence: who did what, or what happened to whom, why and from which network. */
export function EventSentence({ event: recorded }: { readonly event: SecurityEvent }) {
  const { event, reason, actor, actorName, subject, subjectName, keyId, address, detail } = recorded
  const known = knownMessage(`eventSentence.${event}`)
  if (known === undefined) return <>{eventInWords(event)}</>
  return (
    <Message
      id={known}
      values={{
        hasActor: actor === null ? 'no' : 'yes',
        actor: actor === null ? null : <Party party={actor} name={actorName} />,
        hasSubject: subject === null ? 'no' : 'yes',
        subject: subject === null ? null : <Party party={subject} name={subjectName} />,
        hasKey: keyId === null ? 'no' : 'yes',
        key: <bdi>{`tg_${keyId}…`}</bdi>,
        reason: reason ?? '',
        hasAddress: address === null ? 'no' : 'yes',
        address: <bdi>{address}</bdi>,
        what: pageOf(detail['route']),
      }}
    />
  )
}

/** The last part of an operator's route: `/api/operator/audit.csv` is "audit". */
function pageOf(route = ''): string {
  return /^\/api\/operator\/([a-z]+)/.exec(route)?.[1] ?? ''
}
