import { VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { operatorSections, pagePaths } from '../../../portal/pages/page-paths.ts'
import { useWaiting } from '../../api/operator.ts'
import { Icon, type IconName } from '../../components/icon.tsx'
import { Pill } from '../../components/pill.tsx'
import { wholeNumber } from '../../in-words.ts'
import { SideBar } from '../../layout/side-bar.tsx'
import { t } from '../../words.ts'

/** A section of the operator's pages. */
export type OperatorSection = (typeof operatorSections)[number]

const icons: Readonly<Record<OperatorSection, IconName>> = {
  overview: 'grid',
  developers: 'people',
  applications: 'list',
  requests: 'inbox',
  plans: 'sliders',
  versions: 'arrows',
  'top-applications': 'gauge',
  refusals: 'ban',
  availability: 'pulse',
  'sign-up': 'newcomer',
  audit: 'paper',
  'security-events': 'shield',
}

/** Title of a section. */
export function sectionTitle(section: OperatorSection): string {
  return t(`operator.${section}`)
}

/** Path of a section. @param filter values of its fields, by their names in the address */
export function sectionPath(
  section: OperatorSection,
  filter?: Readonly<Record<string, string>>,
): string {
  const path = section === 'overview' ? pagePaths.operator : `${pagePaths.operator}/${section}`
  return filter === undefined ? path : `${path}?${new URLSearchParams(filter)}`
}

/** The frame of the operator's pages: their sections at the side. */
export function OperatorFrame({
  current,
  children,
}: {
  readonly current: OperatorSection
  readonly children: ReactNode
}) {
  const { data: waiting } = useWaiting()
  const counts: Partial<Record<OperatorSection, number>> = {
    developers: waiting?.developers ?? 0,
    requests: waiting?.limitRequests ?? 0,
  }
  return (
    <SideBar
      hasCards
      label={t('shell.operator')}
      current={sectionPath(current)}
      items={operatorSections.map((section) => ({
        href: sectionPath(section),
        label: sectionTitle(section),
        icon: <Icon name={icons[section]} />,
        end: <WaitingCount count={counts[section] ?? 0} />,
      }))}
    >
      {children}
    </SideBar>
  )
}

/** How many things wait for an operator; nothing for none. */
function WaitingCount({ count }: { readonly count: number }) {
  if (count === 0) return null
  return (
    <Pill tone="warn">
      <span aria-hidden>{wholeNumber(count)}</span>
      <VisuallyHidden>{t('operator.waitingForYou', { count })}</VisuallyHidden>
    </Pill>
  )
}
