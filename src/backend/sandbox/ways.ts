/** The ways to bring a resource of one kind into each of its states. */
export interface WaysIntoStates {
  /** "Payments". */
  readonly of: string
  /** The member that holds the state. */
  readonly member: string
  readonly states: readonly {
    readonly state: string
    /** Alternatives, each a sentence; text between backticks is code. */
    readonly ways: readonly string[]
  }[]
}

/** Every state of the sandbox with the ways into it, for docs/sandbox.md and the portal's page. */
export const waysIntoStates: readonly WaysIntoStates[] = [
  {
    of: 'Payments',
    member: 'transactionStatus',
    states: [
      { state: 'RCVD', ways: ['Initiate a payment and leave it unapproved.'] },
      {
        state: 'ACTC',
        ways: [
          'Approve a payment with a `requestedExecutionDate`. It waits until that day begins; others pass this state within a second.',
        ],
      },
      {
        state: 'ACFC',
        ways: [
          'Approve a payment with a `requestedExecutionDate`, and look between 00:00 of that day and its execution at 06:00. A `requestedExecutionTime` makes that later.',
        ],
      },
      {
        state: 'ACWC',
        ways: [
          'Approve `zahav` outside 08:00 to 17:00 or on a day that is not a banking day.',
          'Approve `masav` dated on a Saturday.',
        ],
      },
      {
        state: 'ACSP',
        ways: ['Approve `masav` without a date: from a second later until 18:00 of a banking day.'],
      },
      { state: 'ACSC', ways: ['Approve `fp`: two seconds later, for 30 seconds.'] },
      {
        state: 'ACCC',
        ways: [
          'Approve `fp` and wait those 30 seconds.',
          'Pay to an account of this bank with any other product.',
        ],
      },
      {
        state: 'RJCT',
        ways: [
          'Ask PSU-Rejected.',
          'Ask PSU-InternalLimit, who approves before the bank rejects the payment.',
          'Enter a wrong password three times.',
          'Wait 24 hours without an approval.',
          'Pay 2500.00 by `fp` from PSU-NoTransactions, who has no funds. `masav` is tried three times.',
          'Approve a payment to the account of PSU-AccountBlocked, which the bank then rejects.',
        ],
      },
      {
        state: 'CANC',
        ways: [
          'DELETE a payment before the approval.',
          'DELETE an approved `masav` and approve the cancellation. PSU-Cancellation-Rejected refuses it.',
        ],
      },
    ],
  },
  {
    of: 'Consents',
    member: 'consentStatus',
    states: [
      { state: 'received', ways: ['Ask for a consent and leave it unapproved.'] },
      { state: 'valid', ways: ['Approve it.'] },
      {
        state: 'rejected',
        ways: [
          'Ask PSU-Rejected.',
          'Enter a wrong password three times.',
          'Wait 24 hours without an approval.',
          'Have the same customer approve a newer recurring consent.',
        ],
      },
      {
        state: 'expired',
        ways: [
          'Ask PSU-ConsentExpired.',
          'Have the same customer approve another recurring consent.',
          'Wait two hours after the first read of a one-off consent.',
          'Wait until the day after `validUntil`.',
        ],
      },
      {
        state: 'revokedByPsu',
        ways: [
          'Ask PSU-ConsentRevokedByPsu.',
          'The operator runs `tollgate sandbox consent <consentId> revoke`.',
        ],
      },
      {
        state: 'suspendedByASPSP',
        ways: [
          'Ask PSU-ConsentSuspended.',
          'The operator runs `tollgate sandbox consent <consentId> suspend`; `resume` makes it `valid` again.',
        ],
      },
      { state: 'terminatedByTpp', ways: ['DELETE it, before or after the approval.'] },
    ],
  },
  {
    of: 'Mandates',
    member: 'mandateStatus',
    states: [
      { state: 'received', ways: ['Ask for a mandate and leave it unapproved.'] },
      { state: 'valid', ways: ['Approve it.'] },
      {
        state: 'rejected',
        ways: [
          'Ask PSU-Rejected (MD13).',
          'At once: the account of PSU-AccountClosed (AC04) or PSU-AccountBlocked (AC06).',
          'At once: the savings account of PSU-Successful (AG01).',
          'At once: B2B on the account of PSU-Euro (MD09).',
          'At once: a `PSU-ID` that does not own the account (AC01), or a debtor with another national id (BE01).',
        ],
      },
      {
        state: 'suspended',
        ways: [
          'The operator runs `tollgate sandbox mandate <resourceId> suspend`; `resume` makes it `valid` again.',
        ],
      },
      {
        state: 'revokedByPsu',
        ways: ['The operator runs `tollgate sandbox mandate <resourceId> revoke` (MD16).'],
      },
      {
        state: 'expired',
        ways: [
          'Make one with `sequenceType` OOFF; the operator collects it with `tollgate sandbox collect <resourceId> 10.00`.',
          'Wait until the day after the mandate’s last day (MD20).',
        ],
      },
      {
        state: 'terminatedByTpp',
        ways: [
          'DELETE it before the approval (MD22) or after it (MD17). B2B then answers 202, and the debtor has to approve.',
        ],
      },
    ],
  },
  {
    of: 'Authorisations',
    member: 'scaStatus',
    states: [
      { state: 'received', ways: ['Send no `PSU-ID` in the POST.'] },
      {
        state: 'psuIdentified',
        ways: [
          'Send `PSU-ID` in the POST, embedded or by redirect.',
          'PUT the authorisation without a body.',
        ],
      },
      { state: 'psuAuthenticated', ways: ['PUT the password.', 'Sign in on the bank’s page.'] },
      {
        state: 'scaMethodSelected',
        ways: ['PUT the method.', 'PUT the password of PSU-OneMethod.'],
      },
      {
        state: 'started',
        ways: [
          'Decoupled, for two seconds.',
          'Embedded, with the method `app-1`.',
          'On the bank’s page, while the decision is shown.',
        ],
      },
      {
        state: 'unconfirmed',
        ways: [
          'Have PSU-Confirmation approve on the bank’s page; then PUT the `confirmationCode` that comes with the redirect.',
        ],
      },
      { state: 'finalised', ways: ['Approve.'] },
      { state: 'exempted', ways: ['PUT the password of PSU-Exempted.'] },
      {
        state: 'failed',
        ways: [
          'Ask PSU-Rejected.',
          'Enter the password, one-time password or confirmation code wrong for the third time.',
          'Wait 24 hours.',
        ],
      },
    ],
  },
]
