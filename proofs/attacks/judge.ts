import type { StrictAnswer } from '../../test/support/strict-answers.ts'
import type { Outcome } from './attack.ts'
import { applicationOf, describe, type Input, type Sender } from './message.ts'
import { type NamesOperation, readingsOf } from './operations.ts'
import type { Recorder, Seen } from './recorder.ts'
import type { Received } from './send.ts'

/** What must never happen; all empty when nothing was wrong. Each text names an input. */
export interface Findings {
  /** Reached the backend though it must not, or as something else than what was counted. */
  readonly bypasses: string[]
  /** Reached the backend without being counted, or more often than counted. */
  readonly uncounted: string[]
  /** Counted without reaching the backend. */
  readonly lost: string[]
  /** An answer to another request, or to none. */
  readonly crossed: string[]
  /** The two sides of a connection disagree where a message ends. */
  readonly desyncs: string[]
  readonly crashes: string[]
  /** Another outcome than the corpus says. */
  readonly otherwise: string[]
}

export function noFindings(): Findings {
  return {
    bypasses: [],
    uncounted: [],
    lost: [],
    crossed: [],
    desyncs: [],
    crashes: [],
    otherwise: [],
  }
}

/** The outcomes of the inputs of one run. */
export interface Evidence {
  readonly inputs: readonly Input[]
  /** By index of the input. */
  readonly received: readonly Received[]
  readonly recorder: Pick<Recorder, 'seen' | 'strays' | 'reused'>
  /** Names of buckets. */
  readonly counted: readonly string[]
  readonly names: NamesOperation
}

/** Fields that the backend may get only from the gateway; the corpus gives each the value `evil`. */
const spoofed = /evil/

/** Judges by the records of clients and backend, and by what the counter granted. */
export function judge(evidence: Evidence): Findings {
  const findings = noFindings()
  const { inputs, received, recorder, counted } = evidence
  const seenBy = Map.groupBy(recorder.seen, ({ number, application }) =>
    number === undefined ? application : applicationOf(number),
  )
  const countedBy = Map.groupBy(counted, (bucket) => /\{(.*)\}/.exec(bucket)?.[1])
  for (const [index, input] of inputs.entries()) {
    const application = applicationOf(input.number)
    const arrived = received[index]
    if (arrived === undefined) continue
    const seen = seenBy.get(application) ?? []
    judgeBackend(input, seen, countedBy.get(application) ?? [], evidence.names, findings)
    judgeClient(input, arrived, seen, findings)
    seenBy.delete(application)
  }
  for (const [application, requests] of seenBy) {
    findings.bypasses.push(`${requests.length} requests of no input: ${application}`)
  }
  for (const { number, why } of recorder.strays) {
    findings.desyncs.push(`input ${number}: the backend got ${why}`)
  }
  for (const { number } of recorder.reused) {
    findings.desyncs.push(`input ${number}: on a connection that a bad answer had spoiled`)
  }
  return findings
}

/** The outcomes that an input must have, one for each of its requests. */
export function outcomesOf({ attack: { expected } }: Input): readonly Outcome[] {
  return typeof expected === 'string' ? [expected] : expected
}

/** Whether a request with this outcome reaches the backend. */
export function reaches(outcome: Outcome): boolean {
  return /^(?:forwarded|tolerated|cut|reached)/.test(outcome)
}

function judgeBackend(
  input: Input,
  seen: readonly Seen[],
  counted: readonly string[],
  names: NamesOperation,
  findings: Findings,
): void {
  const what = describe(input)
  const calls = counted.map((bucket) => bucket.split(':').slice(2, 5).join(':')).toSorted()
  const reached: string[] = []
  const by = (sender: Sender): number => seen.filter((one) => one.sender === sender).length
  for (const { sender, request, application } of seen) {
    // The gateway's own token is random text; whose it is, is judged below.
    const head = [...request.headers]
      .filter(([name, values]) => name !== 'gateway-identity' || values.length !== 1)
      .flat(2)
      .join('\n')
    if (sender === 'smuggled') findings.bypasses.push(`${what}: the request within it arrived`)
    if (spoofed.test(head)) findings.bypasses.push(`${what}: a field of the client arrived`)
    if (application !== applicationOf(input.number)) {
      findings.bypasses.push(`${what}: arrived with the identity of ${application}`)
    }
    const readings = readingsOf(request.target).map((path) => names(request.method, path))
    if (new Set(readings).size > 1 || readings[0] === 'none') {
      findings.bypasses.push(
        `${what}: arrived as ${request.target}, read as ${readings.join(' or ')}`,
      )
    }
    reached.push(readings[0] ?? 'none')
  }
  const most = outcomesOf(input).filter(reaches).length
  const mostArrivals = most + (mayArriveAgain(input) ? 1 : 0)
  if (by('attack') === most + 1 && mostArrivals > most) reached.pop()
  if (by('attack') > mostArrivals) {
    findings[most === 0 ? 'bypasses' : 'uncounted'].push(`${what}: arrived ${by('attack')} times`)
  }
  if (by('tail') > 1) findings.uncounted.push(`${what}: the request behind it arrived twice`)
  const { more, missing } = difference(reached.toSorted(), calls)
  if (more.length > 0) findings.uncounted.push(`${what}: not counted: ${more.join(', ')}`)
  if (missing.length > 0) findings.lost.push(`${what}: never arrived: ${missing.join(', ')}`)
}

/** A GET goes out once more if the backend ends a connection that was used before without an octet of an answer. */
function mayArriveAgain({ attack, operation }: Input): boolean {
  return (
    operation.method === 'GET' && ['cut-at-once', 'reset-at-once'].includes(attack.answer ?? '')
  )
}

/** What one sorted list has and the other has not. */
function difference(reached: readonly string[], counted: readonly string[]) {
  const left = [...counted]
  const more = reached.filter((name) => {
    const at = left.indexOf(name)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
  return { more, missing: left }
}

function judgeClient(
  input: Input,
  { answers, interim, broken, isCut, isHung }: Received,
  seen: readonly Seen[],
  findings: Findings,
): void {
  const what = describe(input)
  const outcomes = outcomesOf(input)
  const { mustClose, continued = [] } = input.attack
  if (broken !== undefined) findings.desyncs.push(`${what}: ${broken}`)
  if (isHung) findings.otherwise.push(`${what}: the connection hung after ${shownAnswers(answers)}`)
  for (const [at, outcome] of outcomes.entries()) {
    const answer = answers[at]
    if (answer?.status === 500) findings.crashes.push(`${what}: 500 ${answer.body}`)
    if (outcome === 'cut') {
      if (!isCut) findings.otherwise.push(`${what}: not cut: ${shownAnswers(answers)}`)
    } else if (answer === undefined || !isAnswerOf(outcome, answer)) {
      findings.otherwise.push(
        `${what}: not ${outcome}: ${shownAnswers(answers)}${isHung ? ' hung' : ''}`,
      )
    } else if (answer.status === 200 && !answer.body.includes(`"attack-${input.number}"`)) {
      findings.crossed.push(`${what}: answered with ${answer.body.slice(0, 80)}`)
    }
    if (reaches(outcome) && !seen.some(({ sender }) => sender !== 'tail')) {
      findings.otherwise.push(`${what}: did not arrive`)
    }
    const heard = answer?.interim ?? interim
    if (heard.length > (continued.includes(at) ? 1 : 0)) {
      findings.desyncs.push(`${what}: ${heard.join(' ')} that was not asked for`)
    }
  }
  const before = answers.slice(0, outcomes.length)
  const hasClosed = before.some(
    ({ headers }) => headers.get('connection')?.toLowerCase() === 'close',
  )
  const behind = answers.slice(outcomes.length)
  if (mustClose === true || hasClosed || isCut) {
    if (mustClose === true && !hasClosed && !isCut) {
      findings.otherwise.push(`${what}: the connection stayed open: ${shownAnswers(answers)}`)
    }
    if (behind.length > 0)
      findings.crossed.push(`${what}: an answer behind the last one: ${shownAnswers(answers)}`)
    return
  }
  const isTail = behind.length === 1 && behind[0]?.body.includes(`"tail-${input.number}"`)
  if (!isTail && !isHung)
    findings.crossed.push(`${what}: the next request got ${shownAnswers(behind)}`)
}

function isAnswerOf(outcome: Outcome, { status, body }: StrictAnswer): boolean {
  if (outcome === 'forwarded' || outcome === 'tolerated') return status === 200
  if (outcome === 'refused') return status >= 400
  const [, wanted, code] = /(\d+)(?: (\w+))?$/.exec(outcome) ?? []
  return status === Number(wanted) && (code === undefined || codeIn(body) === code)
}

function codeIn(body: string): string | undefined {
  return /"code":"(\w+)"/.exec(body)?.[1]
}

function shownAnswers(answers: readonly StrictAnswer[]): string {
  return answers.length === 0
    ? 'no answer'
    : answers.map(({ status, body }) => `${status} ${codeIn(body) ?? body.slice(0, 40)}`).join(', ')
}
