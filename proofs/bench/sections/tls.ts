import { once } from 'node:events'
import { connect } from 'node:tls'
import { createTestAuthority } from '../../../test/support/certificates.ts'
import { startNginxPeer } from '../peers/nginx-peer.ts'
import { settleMs, startTollgatePeer, warmSeconds } from '../peers/tollgate-peer.ts'
import { print, printGoal, printMeasured, ratio } from '../report.ts'
import { runRounds, type Subject } from '../rounds.ts'
import { mix, writeRequests } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import type { Section } from './section.ts'

/**
 * What TLS costs: on kept connections, beside plain ones, and with a new
 * connection for each call, beside nginx with the same certificate and cipher.
 * wrk resumes no session, so each new connection makes a whole handshake.
 */
export const tls: Section = async (world, options) => {
  const { bench, keys } = world
  const subjects = await startSubjects(world)
  const [plain, encrypted, , nginxEncrypted] = subjects
  await compareProtocols(encrypted.url, nginxEncrypted.url)

  const kept = writeRequests(bench, 'kept', mix({ keys }))
  const [onPlain, onTls, onNginx, onNginxTls] = await runRounds(
    subjects.map((subject) => ({ ...subject, list: kept })),
    options,
  )
  if (!onPlain || !onTls || !onNginx || !onNginxTls) return
  printMeasured('kept connections', [onPlain, onTls], [{ head: '× plain', to: onPlain }])
  printMeasured('kept connections', [onNginx, onNginxTls], [{ head: '× plain', to: onNginx }])
  printGoal('CPU per call, TLS × plain', ratio(onTls, onPlain, 'cpuMicrosecondsPerCall'), {
    atMost: 1.25,
  })

  const single = writeRequests(bench, 'single', mix({ keys, closes: true }))
  const opened = await runRounds(
    [plain, encrypted, nginxEncrypted].map((subject) => ({ ...subject, list: single })),
    options,
  )
  const [newPlain, newTls, newNginx] = opened
  if (!newPlain || !newTls || !newNginx) return
  printMeasured('a connection for each call', opened, [
    { head: '× Tollgate, plain', to: newPlain },
    { head: '× nginx', to: newNginx },
  ])
  print(`        new TLS connections/s × nginx: ${ratio(newTls, newNginx, 'perSecond').toFixed(2)}`)
}

type Unlisted = Omit<Subject, 'list'>

async function startSubjects(
  world: BenchWorld,
): Promise<[plain: Unlisted, tls: Unlisted, nginx: Unlisted, nginxTls: Unlisted]> {
  const { bench } = world
  const { certFile, keyFile } = createTestAuthority({
    teardown: (undo) => bench.undo(async () => void (await undo())),
    comment: (text) => process.stderr.write(`${text}\n`),
  }).issue()
  const env = { GATEWAY_TLS_CERT_FILE: certFile, GATEWAY_TLS_KEY_FILE: keyFile }
  const ours = { expect: 200, settleMs, warmSeconds }
  const theirs = { expect: 200, warmSeconds: 3 }
  return [
    { ...(await startTollgatePeer(world, { name: 'Tollgate, plain' })), ...ours },
    { ...(await startTollgatePeer(world, { name: 'Tollgate, TLS', env })), ...ours },
    { ...(await startNginxPeer(world)), ...theirs, name: 'nginx, plain' },
    {
      ...(await startNginxPeer(world, { tls: { certFile, keyFile } })),
      ...theirs,
      name: 'nginx, TLS',
    },
  ]
}

/** Prints what both servers agree on with the same client. @throws when they differ */
async function compareProtocols(...urls: readonly string[]): Promise<void> {
  const agreed = new Set<string>()
  for (const url of urls) {
    const { hostname: host, port } = new URL(url)
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    agreed.add(`${socket.getProtocol()} ${socket.getCipher().standardName}`)
    socket.destroy()
  }
  if (agreed.size > 1) throw new Error(`different protocols: ${[...agreed].join(' and ')}`)
  print(`        ${[...agreed].join()}, ECDSA P-256, no resumption`)
}
