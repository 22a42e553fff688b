import { Paper, Text, Title } from '@mantine/core'
import { type ReactNode, type Ref, useId } from 'react'
import classes from './section-card.module.css'

export interface SectionCardProps {
  readonly title: ReactNode
  /** A sentence below the title. */
  readonly lead?: ReactNode
  /** A button, a link, a legend or a figure at the end of the title's line. */
  readonly action?: ReactNode
  /** Ref of the heading, to give it the focus. */
  readonly titleRef?: Ref<HTMLHeadingElement>
  /** Level of the heading. (Default: 2) */
  readonly order?: 2 | 3
  /** Rows reach from edge to edge; anything else keeps a distance. */
  readonly hasRows?: boolean
  readonly children?: ReactNode
}

/** A section of a page in a card: its heading on its own line, the content below it. */
export function SectionCard(props: SectionCardProps) {
  const { title, lead, action, titleRef, order = 2, hasRows = false, children } = props
  const id = useId()
  return (
    <Paper
      component="section"
      aria-labelledby={id}
      withBorder
      shadow="xs"
      className={classes['card'] ?? ''}
    >
      <div className={classes['top']}>
        <div className={classes['words']}>
          <Title
            order={order}
            size="h2"
            id={id}
            className={classes['title'] ?? ''}
            {...(titleRef === undefined ? {} : { ref: titleRef, tabIndex: -1 })}
          >
            {title}
          </Title>
          {lead === undefined ? null : (
            <Text size="sm" c="dimmed" component="div">
              {lead}
            </Text>
          )}
        </div>
        {action === undefined ? null : <div className={classes['action']}>{action}</div>}
      </div>
      {children === undefined ? null : (
        <div className={hasRows ? undefined : classes['body']}>{children}</div>
      )}
    </Paper>
  )
}
