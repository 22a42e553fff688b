import type { Words } from '../../messages/format.ts'
import type { Block, LetterText } from './letter-body.ts'
import type { PublishedNames } from './published-names.ts'
import { utcTime } from './utc-time.ts'

export interface DeprecationFacts {
  readonly developerId: string
  readonly api: string
  readonly version: string
  /** Days as `YYYY-MM-DD`, UTC. */
  readonly deprecated: string | undefined
  readonly sunset: string | undefined
  readonly retired: string | undefined
  readonly successor: string | undefined
  /** Until the end; undefined while no end is announced. */
  readonly daysLeft: number | undefined
  /** Those still subscribed. */
  readonly applications: readonly {
    readonly id: string
    readonly name: string
    /** To this version in the last 30 days. */
    readonly calls: number
    readonly subscriptionId: string
    /** The predicted result of its recorded calls in the successor; undefined without a successor or calls. */
    readonly replay?: { readonly calls: number; readonly allowed: number; readonly missing: number }
  }[]
}

/** Informs a developer that a version is deprecated or about to end. */
export function deprecationLetter(
  portalUrl: string,
  letter: DeprecationFacts,
  { t, language }: Words,
  names: PublishedNames,
): LetterText {
  const { api, version, deprecated, sunset, retired, successor, daysLeft } = letter
  const isEnding = daysLeft !== undefined
  const named = { api: names.title({ api, version }), version }
  const dates = [
    { label: t('mail.deprecation.deprecated'), day: deprecated },
    { label: t('mail.deprecation.sunset'), day: sunset },
    { label: t('mail.deprecation.retired'), day: retired },
  ].flatMap(({ label, day }) =>
    day === undefined ? [] : [{ label, value: utcTime(new Date(day), language) }],
  )
  return {
    subject: isEnding
      ? t('mail.deprecation.subjectEnds', { ...named, days: daysLeft })
      : t('mail.deprecation.subject', named),
    blocks: [
      isEnding ? t('mail.deprecation.leadEnds', named) : t('mail.deprecation.lead', named),
      ...(successor === undefined ? [] : [t('mail.deprecation.successor', { successor })]),
      ...(dates.length === 0 ? [] : [{ facts: dates }]),
      t('mail.deprecation.applications'),
      ...letter.applications.flatMap(({ id, name, calls, subscriptionId, replay }): Block[] => [
        {
          facts: [
            { label: t('mail.fact.application'), name },
            { label: t('mail.fact.calls'), value: String(calls) },
            ...(replay === undefined || successor === undefined
              ? []
              : [
                  {
                    label: t('mail.deprecation.replayLabel', { successor }),
                    value: t('mail.deprecation.replay', { ...replay }),
                  },
                ]),
          ],
        },
        ...(successor === undefined
          ? []
          : [
              {
                link: t('mail.deprecation.move'),
                url: `${portalUrl}/applications/${id}/move/${subscriptionId}`,
              },
            ]),
      ]),
      successor === undefined
        ? { link: t('mail.deprecation.see'), url: `${portalUrl}/apis/${api}/${version}` }
        : {
            link: t('mail.deprecation.changes'),
            url: `${portalUrl}/apis/${api}/diff?from=${version}&to=${successor}`,
          },
    ],
  }
}
