/** Two sheets of paper; a tick once the text is copied. */
export function CopyIcon({ isCopied }: { readonly isCopied: boolean }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
    >
      {isCopied ? <path d="M3 8.5l3.2 3L13 4.5" /> : <path d="M6 5.5h7v8H6zM3.5 10.5H3v-8h7V3" />}
    </svg>
  )
}
