/** A claim that takes too long to prove for every landing. */
export interface Proof {
  /** In the words of its line in docs/proofs.md. */
  readonly shows: string
  /** The arguments of Node that prove it in full with a seed, where it can be divided in so many threads. */
  command(seed: string, workers: string): string[]
}

function testFile(file: string, shows: string): Proof {
  return { shows, command: () => [`test/${file}.test.ts`] }
}

/** What `npm run prove` runs, by name. Their tests take their sizes from `proofSize`. */
export const proofs: Readonly<Record<string, Proof>> = {
  'arrives-once': testFile(
    'long/arrives-once',
    'none of 10,000 faulted POST, PUT and DELETE calls reaches the bank twice',
  ),
  'in-step': testFile(
    'long/in-step',
    '100,000 random exchanges on reused connections stay in step, with TCP and with TLS',
  ),
  'rolling-restart': testFile(
    'long/rolling-restart',
    '20 restarts and 200 reloads behind each balancer fail none of 100,000 calls',
  ),
  release: testFile(
    'long/release',
    'one command makes commit, tag and files of a release, and its tag gives the same bytes in another folder',
  ),
  upgrade: testFile(
    'long/upgrade',
    'the release before and this one serve side by side and in turn, behind each balancer, without a failed or miscounted call',
  ),
  rotation: testFile(
    'long/rotation',
    'three rotations of each secret, as docs/rotation.md says, fail none of 50,000 calls behind HAProxy and end no session',
  ),
  recover: testFile(
    'long/recover',
    'a backup of 100,000 rows made under load brings back keys, consents, counts and the audit log after everything but the secrets is lost',
  ),
  'tls-reload': testFile(
    'long/tls-reload',
    '200 reloads of the certificate under load fail no call',
  ),
  availability: testFile(
    'long/availability',
    'over outages of three gateways at 2,000 calls/s the availability report and the ledger of the client are 0 ms apart',
  ),
  'lost-counters': testFile(
    'long/lost-counters',
    '10,000 buckets of four processes survive lost counters without a call granted twice',
  ),
  'many-processes': testFile(
    'long/many-processes',
    'four processes admit exactly 100 of 500 concurrent calls in each of ten windows',
  ),
  'audit-verify': testFile(
    'long/audit-verify',
    'of 100,000 entries of the audit log, any that is changed, removed or moved is found and named',
  ),
  'bank-fuzz': testFile(
    'long/bank-fuzz',
    'the bank answers 220 random inputs for each operation as the contract says',
  ),
  'bank-model': testFile(
    'long/bank-model',
    'the bank agrees with its model over 100 random sequences of 100 steps',
  ),
  'bank-money': testFile(
    'long/bank-money',
    'no money appears or disappears over 1,000 payments and 8 killed processes',
  ),
  samples: testFile(
    'long/samples',
    'every sample of the reference works in curl, Node.js and Python',
  ),
  'portal-pages': testFile(
    'long/portal-pages',
    'every state of every page keeps WCAG 2.2 AA and fits, in light, dark, zoomed, on a phone and from right to left',
  ),
  workers: testFile(
    'long/workers',
    'four workers admit exactly the limit in each of ten windows, and lose nothing but what a killed one had',
  ),
  simulate: {
    shows:
      '1,000,000 simulated schedules of faults, from this seed on, break no promise of the counters',
    command: (seed, workers) => ['test/simulation/main.ts', '--seed', seed, '--workers', workers],
  },
  'planted-faults': testFile(
    'long/simulation',
    'the simulation finds each planted fault of the counters within 3,000 schedules',
  ),
  attacks: {
    shows: 'no attack of the corpus desynchronises the gateway, nginx and HAProxy beside it',
    command: (seed) => ['test/attacks/main.ts', '--seed', seed],
  },
  faults: {
    shows: 'what docs/faults.md promises holds in all experiments',
    command: (seed) => ['test/faults/main.ts', '--seed', seed],
  },
}
