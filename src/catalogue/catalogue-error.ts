/** One fault in the configuration, with its place. */
export interface CatalogueProblem {
  /** The folder of the configuration as it was given, and the path in it: `config/plans/default.yaml`. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  /** Name of the broken rule, kebab-case and stable. */
  readonly rule: string
  /** The place in the file and what is wrong there: `limits[0].window: "1 hour" is not an ISO 8601 duration`. */
  readonly message: string
  /** A value that would be right. */
  readonly example?: string
}

/** The configuration is not usable; lists all faults. */
export class CatalogueError extends Error {
  /** At least one; by file, then by line. Those that may only follow from others come last. */
  readonly problems: readonly CatalogueProblem[]

  constructor(problems: readonly CatalogueProblem[]) {
    const ordered = inOrder(problems)
    super(ordered.map(renderCatalogueProblem).join('\n'))
    this.name = 'CatalogueError'
    this.problems = ordered
  }
}

/** One line of text: `config/plans/default.yaml:7 limit-window: limits[0].window: "1 hour" is not … (e.g. PT1H)`. */
export function renderCatalogueProblem(problem: CatalogueProblem): string {
  const example = problem.example === undefined ? '' : ` (e.g. ${problem.example})`
  return `${problem.file}:${problem.line} ${problem.rule}: ${problem.message}${example}`
}

/** Rules that a document breaks only because something of another one could not be read. */
const consequences: ReadonlySet<string> = new Set([
  'lifecycle-successor',
  'plan-api-unmatched',
  'translation-unknown',
  'version-without-plan',
])

/** Sorts, and drops what is found again through another document that shares the fragment. */
export function inOrder(problems: readonly CatalogueProblem[]): readonly CatalogueProblem[] {
  const unique = new Map(problems.map((problem) => [renderCatalogueProblem(problem), problem]))
  return [...unique.values()].sort(
    (a, b) =>
      Number(consequences.has(a.rule)) - Number(consequences.has(b.rule)) ||
      compareText(a.file, b.file) ||
      a.line - b.line ||
      compareText(a.rule, b.rule),
  )
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
