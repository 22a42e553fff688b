import { Button } from '@mantine/core'
import { Link } from 'wouter'
import type { PublishedApi } from '../../../portal/api/schemas/catalogue.ts'
import { landingTitle } from '../../../portal/api/schemas/landing-title.ts'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { useFrontPage, usePortalFacts } from '../../api/catalogue.ts'
import { useSession } from '../../api/session.ts'
import { useFacts } from '../../facts.tsx'
import { wholeNumber, windowInWords } from '../../in-words.ts'
import { usePageHeading } from '../../layout/page-heading.ts'
import { versionPath } from '../../published.ts'
import { t } from '../../words.ts'
import { HeroSample } from './hero-sample.tsx'
import classes from './landing.module.css'

/** The promise of the portal beside a sample call. Dark in both colour schemes. */
export function Hero({ apis }: { readonly apis: readonly PublishedApi[] }) {
  const { hasSandbox } = useFacts()
  const { data: front } = useFrontPage()
  const heading = usePageHeading(t('shell.apis'))
  const sample = front?.sample ?? undefined
  const shown = apis
    .find(({ api }) => api === sample?.api)
    ?.versions.find(({ version }) => version === sample?.version)
  const newest = apis[0]?.versions.at(-1)
  const limit = (shown ?? newest)?.plans[0]?.limits[0]
  return (
    <section className={classes['hero']} aria-labelledby="promise">
      <div className={classes['heroInside']}>
        <div className={classes['promise']}>
          {hasSandbox ? (
            <p className={classes['notice']}>
              <span className={classes['open']}>{t('landing.sandboxOpen')}</span>
              {t('landing.noRealMoney')}
            </p>
          ) : null}
          <h1 id="promise" ref={heading} tabIndex={-1} className={classes['title']}>
            {t(landingTitle(front))}
          </h1>
          <p className={classes['lead']}>{t('landing.lead')}</p>
          <div className={classes['ways']}>
            <WayIn />
            {newest === undefined || apis[0] === undefined ? null : (
              <Button
                component={Link}
                href={versionPath(apis[0].api, newest.version)}
                size="md"
                className={classes['second'] ?? ''}
              >
                {t('landing.browse')}
              </Button>
            )}
          </div>
          <dl className={classes['figures']}>
            <Figure
              value={wholeNumber(operationsIn(apis))}
              label={t('landing.operations', { count: operationsIn(apis) })}
            />
            {front?.customers == null ? null : (
              <Figure
                value={wholeNumber(front.customers)}
                label={t('landing.customers', { count: front.customers })}
              />
            )}
            {limit === undefined ? null : (
              <Figure
                value={t('landing.limitFigure', {
                  calls: wholeNumber(limit.calls),
                  window: windowInWords(limit),
                })}
                label={t(limit.scope === 'operation' ? 'landing.perOperation' : 'landing.together')}
              />
            )}
          </dl>
        </div>
        {sample === undefined ? null : <HeroSample sample={sample} limit={limit} />}
      </div>
    </section>
  )
}

/** Number of operations in the newest version of each API. */
function operationsIn(apis: readonly PublishedApi[]): number {
  return apis.reduce((sum, { versions }) => sum + (versions.at(-1)?.operations.length ?? 0), 0)
}

function Figure({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <div className={classes['figure']}>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** A visitor starts with a key; a developer continues. */
function WayIn() {
  const { data: session } = useSession()
  const { data: facts } = usePortalFacts()
  const isVisitor = session === null || session === undefined
  const isClosed = facts?.signUp === 'off'
  const [href, label] = !isVisitor
    ? [pagePaths.applications, t('landing.yourApplications')]
    : isClosed
      ? [pagePaths.signIn, t('landing.signIn')]
      : [pagePaths.signUp, t('landing.getKey')]
  return (
    <>
      <Button component={Link} href={href} size="md" className={classes['first'] ?? ''}>
        {label}
      </Button>
      {isVisitor && facts?.signUp === 'approval' ? (
        <span className={classes['approval']}>{t('landing.approval')}</span>
      ) : null}
    </>
  )
}
