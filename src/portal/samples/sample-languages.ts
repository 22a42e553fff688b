import { curlSample } from './curl-sample.ts'
import { nodeSample } from './node-sample.ts'
import { pythonSample } from './python-sample.ts'
import type { SampleCall } from './sample-call.ts'

/** A language that samples are shown in. */
export interface SampleLanguage {
  /** What highlights the source, as `x-codeSamples` names it. */
  readonly lang: string
  readonly label: string
  readonly write: (call: SampleCall) => string
}

/** Every language that samples are shown in, in the order they are offered. */
export const sampleLanguages: readonly SampleLanguage[] = [
  { lang: 'bash', label: 'curl', write: curlSample },
  { lang: 'javascript', label: 'Node.js', write: nodeSample },
  { lang: 'python', label: 'Python', write: pythonSample },
]

/** A call in every language. */
export function samplesOf(call: SampleCall) {
  return sampleLanguages.map(({ lang, label, write }) => ({ lang, label, source: write(call) }))
}
