// This folder is the search of the page. Read this file first: it is the dialog. `use-entries.ts` collects what can be
// found, `find-entries.ts` ranks it for a query, and `newest-only.ts` leaves out older versions. It searches in the
// browser, in an index that the portal sends; `request-id.ts` recognises the id of a call.

import {
  CloseButton,
  Combobox,
  Modal,
  Text,
  TextInput,
  useCombobox,
  VisuallyHidden,
} from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { callRecordPath } from '../../portal/pages/page-paths.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { MethodBadge } from '../components/method-badge.tsx'
import { ProblemAlert } from '../components/problem-alert.tsx'
import { useActiveOption } from '../components/use-active-option.ts'
import { useGoTo } from '../go-to.ts'
import { pageLanguage, t } from '../words.ts'
import { findEntries } from './find-entries.ts'
import { newestOnly } from './newest-only.ts'
import { requestIdIn } from './request-id.ts'
import classes from './search-menu.module.css'
import { type FoundEntry, useEntries, useOperatedEntries } from './use-entries.ts'

export interface SearchMenuProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

const most = 12
/** Entries that only resemble the query, before those that an operator finds. */
const nearMost = 3

/** The search: a field, and below it what it finds. Works entirely by keyboard (combobox pattern of ARIA). */
export function SearchMenu({ isOpen, onClose }: SearchMenuProps) {
  const [isLeaving, setIsLeaving] = useState(false)
  const [path] = useLocation()
  const goTo = useGoTo()
  const choose = ({ href }: FoundEntry) => {
    // The new page takes the focus; without one it returns to where it was.
    const { pathname, hash } = new URL(href, window.location.href)
    setIsLeaving(pathname !== path || hash !== '')
    onClose()
    goTo(href)
  }
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose}
      returnFocus={!isLeaving}
      onEnterTransitionEnd={() => setIsLeaving(false)}
      size="36rem"
      yOffset="10vh"
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label={t('search.title')} radius="lg">
        <Modal.Body p={0}>
          <Search onChoose={choose} onClose={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

interface SearchProps {
  readonly onChoose: (entry: FoundEntry) => void
  readonly onClose: () => void
}

function Search({ onChoose, onClose }: SearchProps) {
  const [query, setQuery] = useState('')
  const { entries, isPending, error } = useEntries()
  const requestId = requestIdIn(query)
  const isAsked = query.trim() !== '' && requestId === undefined
  const { entries: matching, isExact } = findEntries(newestOnly(entries, query), {
    query,
    language: pageLanguage(),
    most,
  })
  // What the documentation has is no question about people.
  const operated = useOperatedEntries(isAsked && !isExact ? query : '')
  const suggested = entries.filter(isSuggested).slice(0, most)
  // They arrive late, and the first lines stay where they are.
  const matches = [...matching.slice(0, nearMost), ...operated, ...matching.slice(nearMost)]
  const found =
    requestId !== undefined ? [callEntry(requestId)] : matches.length > 0 ? matches : suggested
  const isOpen = found.length > 0
  const choose = (value: string) => {
    const chosen = found.find((entry) => optionOf(entry) === value)
    if (chosen !== undefined) onChoose(chosen)
  }
  const activeOption = useActiveOption({
    values: found.map(optionOf),
    isOpen,
    startsAtFirst: true,
    onChoose: choose,
  })
  return (
    <Combobox store={useCombobox({ opened: isOpen })} onOptionSubmit={choose}>
      <div className={classes['top']}>
        <Combobox.EventsTarget
          withExpandedAttribute
          {...activeOption.targetProps}
          // Escape closes the dialog, not a list in it.
          data-mantine-stop-propagation={false}
        >
          <TextInput
            data-autofocus
            variant="unstyled"
            size="md"
            className={classes['field'] ?? ''}
            leftSection={<Icon name="search" />}
            placeholder={t('search.placeholder')}
            aria-label={t('search.title')}
            aria-autocomplete="list"
            spellCheck={false}
            value={query}
            onChange={(event) => {
              setQuery(event.currentTarget.value)
              activeOption.reset()
            }}
            onKeyDown={activeOption.onKeyDown}
          />
        </Combobox.EventsTarget>
        <CloseButton aria-label={t('common.close')} onClick={onClose} />
      </div>
      <ProblemAlert error={error} />
      {isAsked && !isExact && operated.length === 0 && !isPending ? (
        <Text c="dimmed" className={classes['none'] ?? ''}>
          {t(matching.length > 0 ? 'search.near' : 'search.none')}
        </Text>
      ) : null}
      {isOpen ? (
        <Combobox.Options aria-label={t('search.found')} className={classes['list'] ?? ''}>
          {found.map((entry) => (
            <Combobox.Option
              key={optionOf(entry)}
              {...activeOption.optionProps(optionOf(entry))}
              className={classes['entry'] ?? ''}
            >
              <span className={classes['icon']}>
                {methodOf(entry) === undefined ? (
                  <Icon name={icons[entry.kind]} />
                ) : (
                  <MethodBadge method={methodOf(entry) ?? ''} isPlain />
                )}
              </span>
              <span className={classes['words']}>
                <bdi>{entry.title}</bdi>
                {entry.detail === '' && entry.place === '' ? null : (
                  <bdi className={classes['detail']} data-kind={entry.kind}>
                    {detailOf(entry)}
                  </bdi>
                )}
              </span>
              <span className={classes['kind']}>{t(`search.kind.${entry.kind}`)}</span>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      ) : null}
      <VisuallyHidden role="status">
        {isPending ? '' : t('search.count', { count: isAsked ? matches.length : found.length })}
      </VisuallyHidden>
    </Combobox>
  )
}

/** Several actions can lead to one page. */
function optionOf({ kind, title, href }: FoundEntry): string {
  return kind === 'action' ? `${href} ${title}` : href
}

/** The method of an operation, whose detail is its method and path. */
function methodOf({ kind, detail }: FoundEntry): string | undefined {
  return kind === 'operation' ? detail.split(' ')[0] : undefined
}

function detailOf(entry: FoundEntry): string {
  const { detail, place } = entry
  return (detail.slice(methodOf(entry)?.length ?? 0) || place).trim()
}

/** Before a word is typed: where people go most. */
function isSuggested({ kind, href }: FoundEntry): boolean {
  return kind === 'application' || kind === 'page' || (kind === 'guide' && !href.includes('#'))
}

function callEntry(requestId: string): FoundEntry {
  return {
    kind: 'call',
    title: t('search.lookUp'),
    detail: requestId,
    place: '',
    words: '',
    text: '',
    href: callRecordPath(requestId),
  }
}

const icons: Readonly<Record<FoundEntry['kind'], IconName>> = {
  action: 'play',
  application: 'grid',
  call: 'list',
  developer: 'people',
  error: 'shield',
  guide: 'book',
  operation: 'arrows',
  page: 'link',
  person: 'people',
  version: 'paper',
}
