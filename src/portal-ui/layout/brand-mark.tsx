/** The mark beside the name. */
export function BrandMark() {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#066a7c" />
      <path
        d="M7 23V13a9 9 0 0 1 18 0v10M7 18h18"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
      />
    </svg>
  )
}
