import type { ReactNode } from 'react'
import type { VersionChange } from '../../portal/api/schemas/catalogue.ts'
import { Message } from './message.tsx'

/** One difference between two versions, `Response 201: _links.scaStatus removed`. */
export function ChangeInWords({ change }: { readonly change: VersionChange }) {
  const { part, path, verb, values } = change
  const { kind, status = '', name = '' } = part
  return (
    <>
      <strong>
        <Message id={`diff.part.${kind}`} values={{ status, name: code(name) }} />
      </strong>{' '}
      {path === '' ? null : <>{code(path)} </>}
      <Message
        id={`diff.verb.${verb}`}
        values={Object.fromEntries(
          Object.entries(values).map(([key, value]) => [
            key,
            verb === 'alternatives' ? value : code(value),
          ]),
        )}
      />
    </>
  )
}

function code(text: string): ReactNode {
  return <code dir="ltr">{text}</code>
}
