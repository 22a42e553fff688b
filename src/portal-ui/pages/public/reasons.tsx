import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../../components/icon.tsx'
import { Message } from '../../components/message.tsx'
import { plainLink } from '../../components/text-link.tsx'
import { t } from '../../words.ts'
import classes from './landing.module.css'

/** What distinguishes this gateway for a developer. */
export function Reasons() {
  return (
    <section aria-labelledby="why" className={classes['section']}>
      <Title order={2} id="why" className={classes['sectionTitle'] ?? ''}>
        {t('landing.why')}
      </Title>
      <ul className={classes['reasons']}>
        <Reason icon="gauge" title={t('landing.whyLimit.title')}>
          {t('landing.whyLimit.text')}
        </Reason>
        <Reason icon="shield" title={t('landing.whyRefusal.title')}>
          <Message id="landing.whyRefusal.text" tags={{ link: plainLink('/problems/') }} />
        </Reason>
        <Reason icon="search" title={t('landing.whyLookUp.title')}>
          {t('landing.whyLookUp.text')}
        </Reason>
      </ul>
    </section>
  )
}

interface ReasonProps {
  readonly icon: IconName
  readonly title: string
  readonly children: ReactNode
}

function Reason({ icon, title, children }: ReasonProps) {
  return (
    <li className={classes['reason']}>
      <span className={classes['reasonIcon']} aria-hidden>
        <Icon name={icon} />
      </span>
      <Title order={3}>{title}</Title>
      <p>{children}</p>
    </li>
  )
}
