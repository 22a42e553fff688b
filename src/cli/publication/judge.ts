import { join, relative } from 'node:path'
import { type ApiVersion, type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import { CatalogueError, type CatalogueProblem } from '../../catalogue/catalogue-error.ts'
import { backendUrlOf } from '../../platform/settings/sandbox.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { SettingsError } from '../../platform/settings/settings-reader.ts'
import { UsageError } from '../command-error.ts'
import { leftOut } from './left-out.ts'
import { overlayWith } from './overlay-with.ts'
import { type Mends, mendsOf, type Proposal, type ProposalOptions, propose } from './propose.ts'
import type { SourceDocument } from './read-source.ts'
import { onCopy } from './staging.ts'
import { twinsOf } from './twins.ts'

/** Why a version cannot be published. A problem of a setting has no place. */
export interface Refusal {
  readonly reason: string
  readonly place: string
  readonly line: number
  readonly message: string
}

/** Warnings of one rule of the check. */
export interface WarningKind {
  readonly kind: string
  readonly count: number
  /** Where the first one is, and what it says. */
  readonly place: string
  readonly line: number
  readonly message: string
}

/** What the gateway would do with a proposal. */
export interface Judged {
  readonly proposal: Proposal
  /** Undefined if it is refused. */
  readonly version: ApiVersion | undefined
  readonly refused: readonly Refusal[]
  /** Whether it is refused only for problems of other files, which are there without it. */
  readonly isBlockedByOthers: boolean
  /** About this version. */
  readonly warnings: readonly WarningKind[]
  /** What the overlay removes: `GET /a`, or a path. */
  readonly leftOut: readonly string[]
  /** One sentence for each version that publishes the same ({@link twinsOf}). */
  readonly twins: readonly string[]
  /** The overlay that fixes the document; undefined if none does, or if it was asked for. */
  readonly mend: string | undefined
}

export interface JudgeOptions {
  readonly source: SourceDocument
  readonly options: ProposalOptions
  readonly settings: Settings
  readonly configDir: string
}

/**
 * Tries a document on a copy of the configuration, and once more with what can be mended.
 *
 * @throws {UsageError} if no backend is known
 */
export async function judge(given: JudgeOptions): Promise<Judged> {
  const judged = await judgeMended(given)
  const { version } = judged
  if (version !== undefined && backendUrlOf(given.settings, version) === undefined) {
    throw new UsageError(
      '--backend is missing: where the gateway forwards the calls (e.g. http://10.0.0.7:3000)',
    )
  }
  return judged
}

async function judgeMended(given: JudgeOptions): Promise<Judged> {
  const { mends, ...first } = await judgeOnce(given, undefined)
  if (mends === undefined) return first
  const mended = await judgeOnce(given, mends)
  if (given.options.mend === true) return mended
  if (mended.version === undefined && !mended.isBlockedByOthers) return first
  const { prefix = given.options.prefix, removed } = mends
  const { backend } = given.options
  const { twins } = mended
  return { ...first, twins, mend: overlayWith(undefined, { prefix, backend, removed }) }
}

async function judgeOnce(
  { source, options, settings, configDir }: JudgeOptions,
  mends: Mends | undefined,
): Promise<Judged & { readonly mends: Mends | undefined }> {
  const proposal = propose({ source, options, configDir, mends })
  const { inspectCatalogue } = await import('../../catalogue/inspect-catalogue.ts')
  const { checkBackends } = await import('../../compose/check-backends.ts')
  const withoutMissing = proposal.missing.map((path) => [path, undefined] as const)
  return onCopy(configDir, new Map([...proposal.changes, ...withoutMissing]), async (copy) => {
    const placeOf = ({ file }: CatalogueProblem): string => {
      const path = relative(copy, file)
      return proposal.origins.get(path) ?? join(configDir, path)
    }
    const refusal = (refused: readonly Refusal[]) => ({
      proposal,
      version: undefined,
      refused,
      isBlockedByOthers: false,
      warnings: [],
      leftOut: [],
      twins: [],
      mend: undefined,
      mends: undefined,
    })
    try {
      const { catalogue, warnings } = await inspectCatalogue(copy)
      checkBackends(settings, catalogue)
      const version = publishedOf(catalogue, proposal)
      const own = warnings.filter(({ file }) => proposal.origins.has(relative(copy, file)))
      return {
        proposal,
        version,
        refused: [],
        isBlockedByOthers: false,
        warnings: [...Map.groupBy(own, ({ rule }) => rule)].flatMap(([kind, [first, ...others]]) =>
          first === undefined
            ? []
            : {
                kind,
                count: 1 + others.length,
                place: placeOf(first),
                line: first.line,
                message: first.message,
              },
        ),
        leftOut: leftOut(source.content, version),
        twins: twinsOf({
          catalogue,
          version,
          bytes: source.files.get('')?.bytes,
          configDir: copy,
          settings,
        }),
        mend: undefined,
        mends: undefined,
      }
    } catch (error) {
      if (error instanceof SettingsError) {
        return refusal(
          error.problems.map((message) => ({ reason: 'setting', place: '', line: 0, message })),
        )
      }
      if (!(error instanceof CatalogueError)) throw error
      const problems = error.problems.filter(
        ({ file, rule }) =>
          // Other versions lack what is missing only on the copy.
          proposal.missing.length === 0 ||
          rule !== 'reference-unresolvable' ||
          isProposed(proposal, relative(copy, file)),
      )
      if (problems.length === 0) {
        // The document does not need what is missing: its overlay removes it, or it is in an example.
        return judgeOnce(
          { options, settings, configDir, source: { ...source, missing: new Set() } },
          mends,
        )
      }
      const refused = problems.map((problem) => ({
        reason: problem.rule,
        place: placeOf(problem),
        line: problem.line,
        message: problem.example ? `${problem.message} (e.g. ${problem.example})` : problem.message,
      }))
      return {
        ...refusal(refused),
        isBlockedByOthers:
          !problems.some(({ file }) => isProposed(proposal, relative(copy, file))) &&
          (await areThereWithout(
            configDir,
            problems.map((each) => keyOf(copy, each)),
          )),
        mends: mends === undefined ? mendsOf({ source, options }, problems) : undefined,
      }
    }
  })
}

/** Whether a configuration as it is has all these problems. @param keys see {@link keyOf} */
async function areThereWithout(configDir: string, keys: readonly string[]): Promise<boolean> {
  const { loadCatalogue } = await import('../../catalogue/load-catalogue.ts')
  try {
    await loadCatalogue(configDir)
    return false
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error
    const before = new Set(error.problems.map((each) => keyOf(configDir, each)))
    return keys.every((key) => before.has(key))
  }
}

/** Whether a file below the folder of the configuration is of the document, or its overlay. */
function isProposed({ origins, overlayPath }: Proposal, path: string): boolean {
  return origins.has(path) || path === overlayPath
}

/** Equal for a problem of a configuration and of its copy, where lines may have moved. */
function keyOf(folder: string, { file, rule, message }: CatalogueProblem): string {
  return [relative(folder, file), rule, message].join(' ')
}

function publishedOf({ versions }: Catalogue, { api, version }: Proposal): ApiVersion {
  const published = versions.get(versionKey(api, version))
  if (published === undefined) throw new Error('the catalogue lacks the version')
  return published
}
