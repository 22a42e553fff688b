import { Group, Loader, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { t } from '../words.ts'

/** Shows that something is loading, once it takes longer than 300 ms. */
export function Slow({ label = t('common.loading') }: { readonly label?: string | undefined }) {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), 300)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Group gap="sm" mih={48} role="status" data-awaited>
      {isSlow ? (
        <>
          <Loader size="sm" aria-hidden="true" />
          <Text c="dimmed">{label}</Text>
        </>
      ) : null}
    </Group>
  )
}
