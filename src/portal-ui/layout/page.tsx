import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { HeadingPlace } from './heading-actions.tsx'
import classes from './page.module.css'
import { usePageHeading } from './page-heading.ts'

export interface PageProps {
  /** The heading and the title of the document. */
  readonly title: string
  /** Replaces the title as the heading: a foreign name in its own `<bdi>`. */
  readonly heading?: ReactNode
  /** One or two sentences below the heading. */
  readonly lead?: ReactNode
  /** Buttons beside the heading. */
  readonly actions?: ReactNode
  /** `narrow` for a page with only a form; `inner` beside a side bar. */
  readonly width?: 'narrow' | 'wide' | 'inner'
  /** Whether it replaces another page at the same address, for example after a form. */
  readonly isNew?: boolean
  readonly children: ReactNode
}

const frames = {
  narrow: `${classes['frame']} ${classes['narrow']}`,
  wide: classes['frame'],
  inner: classes['inner'],
} as const

/**
 * One page: its heading and the title of the document. Focuses the heading
 * after a navigation, so that a screen reader announces the new page.
 */
export function Page(props: PageProps) {
  const { title, heading, lead, actions, width = 'wide', isNew = false, children } = props
  const ref = usePageHeading(title, isNew)
  const [place, setPlace] = useState<Element | null>(null)

  return (
    <Stack gap={width === 'inner' ? 'sm' : 'lg'} className={frames[width] ?? ''} data-page>
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={6} className={classes['heading']}>
          <Title order={1} ref={ref} tabIndex={-1} className={classes['title']}>
            {heading ?? title}
          </Title>
          {lead === undefined ? null : (
            <Text c="dimmed" component="div" className={classes['lead']}>
              {lead}
            </Text>
          )}
        </Stack>
        <div ref={setPlace} className={classes['actions']}>
          {actions}
        </div>
      </Group>
      <HeadingPlace value={place}>{children}</HeadingPlace>
    </Stack>
  )
}
