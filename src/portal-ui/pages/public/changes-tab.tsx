import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { PublishedApi, PublishedVersion } from '../../../portal/api/schemas/catalogue.ts'
import { t } from '../../words.ts'
import { Difference } from './difference.tsx'

export interface ChangesTabProps {
  readonly published: PublishedApi
  readonly version: PublishedVersion
}

/** What changes between this version and another one, from the older to the newer. */
export function ChangesTab({ published: { api, versions }, version }: ChangesTabProps) {
  const index = versions.indexOf(version)
  const others = versions.filter((each) => each !== version)
  const [chosen, choose] = useState<string>()
  const other =
    others.find((each) => each.version === chosen) ?? versions[index - 1] ?? versions[index + 1]
  if (other === undefined) return null
  const isOlder = versions.indexOf(other) < index
  return (
    <>
      {others.length < 2 ? null : (
        <NativeSelect
          label={t('diff.compareWith')}
          value={other.version}
          data={others.map((each) => each.version)}
          onChange={(event) => choose(event.currentTarget.value)}
          maw="16rem"
        />
      )}
      <Difference
        api={api}
        from={isOlder ? other.version : version.version}
        to={isOlder ? version.version : other.version}
      />
    </>
  )
}
