import { useMemo } from 'react'
import { encode } from 'uqr'

export interface QrCodeProps {
  readonly text: string
  /** What it is, for screen readers. */
  readonly label: string
}

/** A QR code, dark on light in every colour scheme, because some apps read no other. */
export function QrCode({ text, label }: QrCodeProps) {
  const { size, path } = useMemo(() => drawn(text), [text])
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width="208"
      height="208"
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      style={{ border: '1px solid var(--line)', borderRadius: 8 }}
    >
      <rect width={size} height={size} rx="2" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

/** The standard wants a quiet zone of four modules (ISO/IEC 18004, 6.3.8). */
function drawn(text: string) {
  const { size, data } = encode(text, { ecc: 'M', border: 4 })
  const cells = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return { size, path: cells.join('') }
}
