/** A call as a client's own ledger has it. Times are milliseconds since 1970. */
export interface LedgerCall {
  readonly at: number
  readonly id: string
  readonly reply: 'success' | 'unanswered' | 'neither'
  /** When its answer began; for a success. */
  readonly repliedAt: number
}

export interface LedgerOutage {
  readonly from: number
  readonly until: number | null
  readonly series: readonly string[]
  readonly last: string
  readonly calls: number
}

/**
 * The rule of EBA/GL/2018/07, Guideline 2.4 (c), written a second time and shared
 * with nothing: it puts all calls in order and looks at every five in turn.
 */
export function outagesOfLedger(ledger: readonly LedgerCall[]): LedgerOutage[] {
  const calls = ledger
    .filter(({ reply }) => reply !== 'neither')
    .map((call) => ({ ...call, rank: call.reply === 'success' ? 0 : 1 }))
  calls.sort((a, b) => {
    if (a.at !== b.at) return a.at - b.at
    if (a.rank !== b.rank) return a.rank - b.rank
    if (a.rank === 0) return a.repliedAt - b.repliedAt
    return a.id < b.id ? -1 : 1
  })
  const outages: LedgerOutage[] = []
  let from = 0
  while (from + 5 <= calls.length) {
    const five = calls.slice(from, from + 5)
    const isDown = five.every(({ reply }) => reply === 'unanswered')
    const [first, , , , fifth] = five
    if (!isDown || first === undefined || fifth === undefined || fifth.at - first.at > 30_000) {
      from += 1
      continue
    }
    let end = from
    while (end < calls.length && calls[end]?.reply === 'unanswered') end += 1
    outages.push({
      from: first.at,
      until: calls[end]?.repliedAt ?? null,
      series: five.map(({ id }) => id),
      last: calls[end - 1]?.id ?? '',
      calls: end - from,
    })
    from = end
  }
  return outages
}
