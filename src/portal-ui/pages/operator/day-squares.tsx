import type { AvailabilityAnswer } from '../../../portal/api/schemas/availability.ts'
import { useApis } from '../../api/catalogue.ts'
import { versionTitle } from '../../published.ts'
import { t } from '../../words.ts'
import { hasFigures, percentage } from './availability-words.ts'
import classes from './day-squares.module.css'

/** A row for each version with a mark for each day: up, down, down as announced, or without a call. */
export function DaySquares({ days, quarters }: Pick<AvailabilityAnswer, 'days' | 'quarters'>) {
  const { data: apis } = useApis()
  const byVersion = Map.groupBy(days, nameOf)
  return (
    <div className={classes['rows']}>
      {quarters.map((quarter) => {
        const own = byVersion.get(nameOf(quarter)) ?? []
        const down = own.filter((day) => stateOf(day) === 'down').length
        const planned = own.filter((day) => stateOf(day) === 'planned').length
        return (
          <div key={`${quarter.period} ${nameOf(quarter)}`}>
            <div className={classes['head']}>
              <bdi>{versionTitle(apis, quarter)}</bdi>
              <span className={classes['share']}>
                {hasFigures(quarter) ? percentage(quarter.uptimePercent) : '–'}
              </span>
            </div>
            <div
              role="img"
              className={classes['days']}
              aria-label={`${versionTitle(apis, quarter)}: ${t('availability.daysDown', { down, planned, count: own.filter(({ requests }) => requests > 0).length })}`}
            >
              {own.map((day) => (
                <span
                  key={day.period}
                  data-state={stateOf(day)}
                  title={`${day.period}: ${hasFigures(day) ? percentage(day.uptimePercent) : '–'}`}
                />
              ))}
            </div>
          </div>
        )
      })}
    </div>
  )
}

type Indicators = AvailabilityAnswer['days'][number]

function nameOf({ api, version }: Indicators): string {
  return `${api} ${version}`
}

function stateOf(day: Indicators): 'none' | 'down' | 'planned' | 'up' {
  if (!hasFigures(day)) return 'none'
  if (day.unplannedSeconds > 0) return 'down'
  return day.plannedSeconds > 0 ? 'planned' : 'up'
}
