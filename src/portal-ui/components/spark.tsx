import classes from './spark.module.css'

export interface SparkProps {
  /** Oldest first. */
  readonly values: readonly number[]
  /** What the line shows, for screen readers. */
  readonly label: string
}

const width = 96
const height = 24

/** A line without axes: the shape of the last hours. */
export function Spark({ values, label }: SparkProps) {
  const most = Math.max(1, ...values)
  const step = width / Math.max(1, values.length - 1)
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(height - 2 - (value / most) * (height - 4)).toFixed(1)}`,
  )
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
      className={classes['spark']}
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}
