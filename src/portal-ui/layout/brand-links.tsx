import { Anchor } from '@mantine/core'
import type { MessageId } from '../../messages/format.ts'
import { useFacts } from '../facts.tsx'
import { t } from '../words.ts'

/** Links of the brand in the footer: as many as it has. */
export function BrandLinks() {
  const { terms, privacy, support, status, imprint } = useFacts().brand
  const links: readonly (readonly [MessageId, string | null | undefined])[] = [
    ['shell.terms', terms?.url],
    ['shell.privacy', privacy],
    ['shell.imprint', imprint],
    ['shell.status', status],
    ['shell.support', support],
  ]
  return links.map(([id, url]) =>
    url == null ? null : (
      <Anchor key={id} href={url} size="sm">
        {t(id)}
      </Anchor>
    ),
  )
}
