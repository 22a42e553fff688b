import { Gauge, type Registry } from 'prom-client'
import type { Logger } from '../../platform/log/log.ts'
import type { SecurityEventName, SecurityEvents } from '../../platform/log/security-events.ts'
import type { JobMetrics } from '../../platform/process/job-metrics.ts'
import { repeatedly } from '../../platform/process/repeatedly.ts'
import { AuditBroken, type SealedEntry } from '../../registry/audit/sealer.ts'
import type { Records } from '../../registry/records.ts'

export interface KeepAuditOptions {
  readonly stores: {
    readonly audit: Pick<Records['audit'], 'erasePersonal'>
    readonly auditChain: Pick<Records['auditChain'], 'seal'>
    readonly securityEvents: Pick<Records['securityEvents'], 'prune'>
  }
  readonly events: Pick<SecurityEvents, 'record'>
  readonly metricsRegistry: Registry
  readonly jobs: JobMetrics
  readonly log: Pick<Logger, 'warn' | 'error'>
  /** Days until security events and personal facts of the audit are erased. */
  readonly securityEventDays: number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  /** (Default: 3,000) */
  readonly sealEveryMs?: number
}

export interface AuditKeeper {
  /** Seals and shows now what was written so far; never throws. */
  seal(): Promise<void>
  close(): Promise<void>
}

const eraseEveryMs = 600_000

/**
 * Seals the audit for as long as the process lives, shows each sealed entry as
 * a security event, and erases what is too old. Several processes may do so at
 * once.
 */
export function keepAudit(options: KeepAuditOptions): AuditKeeper {
  const { stores, events, log, monotonic, securityEventDays } = options
  let isBroken = false
  let isClosing = false
  let sealedAt = monotonic()
  const position = new Gauge({
    name: 'gateway_audit_position',
    help: 'Position of the newest link of the audit log that this process knows; never falls unless the end is cut off',
    registers: [options.metricsRegistry],
  })
  new Gauge({
    name: 'gateway_audit_seal_age_seconds',
    help: 'Time since this process last found every entry of the audit log sealed, or sealed it; low unless sealing fails',
    registers: [options.metricsRegistry],
    collect() {
      this.set((monotonic() - sealedAt) / 1000)
    },
  })

  const sealing = repeatedly({
    everyMs: options.sealEveryMs ?? 3_000,
    async work() {
      // A changed chain must not get a signature that makes it look right.
      if (isBroken) return
      try {
        const newest = await stores.auditChain.seal((entries) => {
          for (const entry of entries) events.record(changeOf(entry))
        })
        position.set(newest)
        sealedAt = monotonic()
      } catch (error) {
        if (!(error instanceof AuditBroken)) throw error
        isBroken = true
        log.error({ err: error }, 'this process no longer seals the audit log')
        events.record({ event: 'audit.broken', actor: 'system', detail: { what: error.message } })
      }
    },
    onFailure: (err) => log.warn({ err }, 'entries of the audit log not sealed yet'),
  })
  const erasing = repeatedly({
    everyMs: eraseEveryMs,
    onSuccess: options.jobs.watch('old security events', eraseEveryMs),
    async work() {
      await stores.audit.erasePersonal(securityEventDays, () => isClosing)
      await stores.securityEvents.prune(securityEventDays, () => isClosing)
    },
    // The next run erases what this one missed.
    onFailure: (err) => log.warn({ err }, 'old security events not deleted'),
  })
  return {
    seal: sealing.runToEnd,
    async close() {
      isClosing = true
      await Promise.all([sealing.close(), erasing.close()])
    },
  }
}

/** A sealed entry as an event. The log, which leaves this machine, then has a copy of the chain: position and hash. */
function changeOf({ position, hash, entry, personal }: SealedEntry) {
  const { actor, action, subject, requestId } = entry
  return {
    event: changeEvent(actor),
    actor,
    subject,
    requestId: requestId ?? undefined,
    address: personal['address'],
    agent: personal['agent'],
    detail: { action, position: String(position), hash },
  }
}

function changeEvent(actor: string): Extract<SecurityEventName, `${string}.change`> {
  if (actor.startsWith('developer:')) return 'developer.change'
  return actor === 'system' ? 'system.change' : 'operator.change'
}
