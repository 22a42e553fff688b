import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace as traceApi,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  RandomIdGenerator,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from '../../platform/log/log.ts'
import type { Call } from '../edge/call.ts'
import type { FinishedCall, SpanLossReason } from './metrics.ts'

export interface SpansOptions {
  /** Base URL of the collector; `/v1/traces` is appended. */
  readonly endpoint: string
  /** `name=value`, percent-encoded, separated by commas. */
  readonly headers: string | undefined
  readonly serviceName: string
  readonly version: string
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly onLost: (spans: number, reason: SpanLossReason) => void
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Sends spans of sampled calls to a collector. Never throws, and no call waits for it. */
export interface Spans {
  ended(call: Call, finished: FinishedCall): void
  /** Sends what waits, for at most a few seconds. */
  close(): Promise<void>
}

const exportMs = 5_000
const queueMax = 2_048

/**
 * Sends spans with OpenTelemetry's SDK: one for the call, and under it one for
 * each timed check and one for the backend, whose id the backend has as its
 * parent. All are made when the call has ended, from times noted meanwhile, so
 * the SDK does no work during a call.
 *
 * Spans name operations by their templates. They contain no path or query of a
 * request, no key and no address.
 */
export function createSpans(options: SpansOptions): Spans {
  const { monotonic, now } = options
  const random = new RandomIdGenerator()
  /** The ids that other programs know already. */
  let traceId: string | undefined
  let spanId: string | undefined
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint}/v1/traces`,
    headers: headersOf(options.headers),
    timeoutMillis: exportMs,
  })
  const provider = new TracerProvider({
    // Only sampled calls come here.
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.version,
      'process.pid': process.pid,
    }),
    idGenerator: {
      generateTraceId: () => traceId ?? random.generateTraceId(),
      generateSpanId: () => spanId ?? random.generateSpanId(),
    },
    spanProcessors: [createQueue(exporter, options)],
  })
  const tracer = provider.getTracer('tollgate', options.version)

  function add(
    parent: Context,
    span: {
      readonly name: string
      readonly kind?: SpanKind
      readonly from: number
      readonly to: number
      readonly attributes?: Attributes
      readonly isError?: boolean
    },
  ): Context {
    const { name, kind = SpanKind.INTERNAL, from, to, attributes = {} } = span
    const made = tracer.startSpan(name, { kind, startTime: from, attributes }, parent)
    if (span.isError === true) made.setStatus({ code: SpanStatusCode.ERROR })
    made.end(to)
    return traceApi.setSpan(parent, made)
  }

  return {
    ended(call, finished) {
      const { trace, operation, forwardedAt, answeredAt, refusal, drill } = call
      if (!trace.isSampled) return
      // An unknown client cannot have its refusals recorded.
      if (trace.isSampledByCaller && call.caller === undefined) return
      // Monotonic times of this call as times of the clock.
      const shift = now() - monotonic()
      const parent =
        trace.parentId === undefined
          ? ROOT_CONTEXT
          : traceApi.setSpanContext(ROOT_CONTEXT, {
              traceId: trace.id,
              spanId: trace.parentId,
              traceFlags: TraceFlags.SAMPLED,
              isRemote: true,
            })
      const method = methodOf(call)
      const status = finished.status === 0 ? {} : { 'http.response.status_code': finished.status }
      const isFailure = finished.status >= 500 || finished.outcome === 'cut'
      // A drill fails because its client asked for that.
      const isError = drill === undefined && (isFailure || finished.status === 0)
      traceId = trace.id
      const whole = add(parent, {
        name: operation === undefined ? method : `${method} ${operation.path}`,
        kind: SpanKind.SERVER,
        from: shift + call.startedAt,
        to: shift + call.startedAt + finished.totalSeconds * 1_000,
        isError,
        attributes: {
          'http.request.method': method,
          'url.scheme': call.scheme,
          'network.protocol.version': call.request.httpVersion,
          ...status,
          ...(operation === undefined ? {} : { 'http.route': operation.path }),
          ...(isError || refusal !== undefined
            ? { 'error.type': refusal ?? finished.outcome }
            : {}),
          ...factsOf(call, finished),
        },
      })
      for (const { name, from, to } of call.timings ?? []) {
        add(whole, { name, from: shift + from, to: shift + to })
      }
      if (operation !== undefined && forwardedAt !== 0) {
        const hasFailed = drill === undefined && refusal?.startsWith('BACKEND_') === true
        spanId = trace.spanId
        add(whole, {
          name: `${method} ${operation.template}`,
          kind: SpanKind.CLIENT,
          from: shift + forwardedAt,
          to: shift + Math.max(answeredAt, forwardedAt),
          isError: hasFailed || isError,
          attributes: {
            'http.request.method': method,
            'url.template': operation.path,
            ...(hasFailed ? { 'error.type': refusal } : status),
          },
        })
      }
      traceId = undefined
      spanId = undefined
    },

    async close() {
      await provider.shutdown().catch(() => undefined)
    },
  }
}

/** What the names of OpenTelemetry have no word for. */
function factsOf(call: Call, { outcome, decision }: FinishedCall): Attributes {
  const { version, operation, caller, drill } = call
  return {
    'tollgate.request_id': call.requestId,
    'tollgate.outcome': outcome,
    ...(version === undefined
      ? {}
      : { 'tollgate.api': version.api, 'tollgate.version': version.version }),
    ...(operation === undefined ? {} : { 'tollgate.operation': operation.id }),
    ...(caller === undefined ? {} : { 'tollgate.application_id': caller.applicationId }),
    ...(decision === undefined ? {} : { 'tollgate.decision': decision }),
    ...(drill === undefined ? {} : { 'tollgate.drill': drill }),
  }
}

/** A method that no operation has is any text of the client; OpenTelemetry's name for it is `_OTHER`. */
function methodOf({ operation, request }: Call): string {
  if (operation !== undefined) return operation.method
  const { method = '' } = request
  return ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'].includes(method)
    ? method
    : '_OTHER'
}

/** The queue of the SDK, which loses spans without a word: counts them, and logs when that begins and ends. */
function createQueue(
  exporter: SpanExporter,
  { log, onLost }: Pick<SpansOptions, 'log' | 'onLost'>,
): SpanProcessor {
  let waiting = 0
  let isLosing = false
  /** Since an export succeeded. */
  let hasLost = false

  function lose(spans: number, reason: SpanLossReason, err?: Error): void {
    onLost(spans, reason)
    hasLost = true
    if (isLosing) return
    isLosing = true
    log.warn({ err, reason }, 'spans are lost')
  }

  function succeeded(): void {
    if (isLosing && !hasLost) log.info({}, 'spans are sent again')
    isLosing = hasLost
    hasLost = false
  }

  const queue = new BatchSpanProcessor({
    exporter: {
      export(spans, done) {
        waiting -= spans.length
        exporter.export(spans, (result) => {
          // 0 is success.
          if (result.code === 0) succeeded()
          else lose(spans.length, 'export_failed', result.error)
          done(result)
        })
      },
      shutdown: () => exporter.shutdown(),
      forceFlush: async () => exporter.forceFlush?.(),
    },
    exportTimeoutMillis: exportMs,
    maxQueueSize: queueMax,
  })
  return {
    onStart: (span, parent) => queue.onStart(span, parent),
    onEnd(span) {
      if (waiting >= queueMax) {
        lose(1, 'queue_full')
        return
      }
      waiting += 1
      queue.onEnd(span)
    },
    forceFlush: () => queue.forceFlush(),
    shutdown: () => queue.shutdown(),
  }
}

function headersOf(text: string | undefined): Record<string, string> {
  return Object.fromEntries(
    (text ?? '').split(',').flatMap((entry) => {
      const at = entry.indexOf('=')
      if (at < 1) return []
      return [[entry.slice(0, at).trim(), decodeURIComponent(entry.slice(at + 1).trim())]]
    }),
  )
}
