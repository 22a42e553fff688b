import { keepsConsents } from '../domain/psu.ts'
import { behaviourWords } from './behaviours.ts'
import { sandboxSecrets } from './credentials.ts'
import { sandboxNameIn } from './name-in.ts'
import { sandboxPsus } from './personas.ts'
import { waysIntoStates } from './ways.ts'
import { waysInHebrew } from './ways-in-hebrew.ts'

/** The sandbox for testers: the customers, their secrets and the ways into every state. */
export function describeSandbox() {
  return {
    secrets: sandboxSecrets,
    customers: sandboxPsus.map(describeCustomer),
    ways: waysIntoStates.map(({ of, member, states }) => ({
      of,
      ofInHebrew: inHebrew(of),
      member,
      states: states.map(({ state, ways }) => ({
        state,
        ways,
        waysInHebrew: ways.map(inHebrew),
      })),
    })),
  }
}

function inHebrew(text: string): string {
  return waysInHebrew[text] ?? text
}

/** Notes on a customer's accounts that the behaviour does not cover. */
const notes: Readonly<Record<string, string>> = {
  'PSU-Successful': 'Accounts, savings and a card with 13 months of entries. Start here.',
  'PSU-NegativeBalance': 'The account is below zero, within its credit limit.',
  'PSU-NoTransactions': 'The account has no entries and no money.',
  'PSU-AccountBlocked': 'The account is blocked.',
  'PSU-AccountClosed': 'The account is closed.',
  'PSU-Corporate': 'A company. Send its PSU-Corporate-ID with each request.',
  'PSU-Multicurrency': 'One IBAN with sub-accounts in ILS, EUR and USD.',
  'PSU-Euro': 'Accounts in Germany and the Netherlands, for SEPA.',
  'PSU-EuroCorporate': 'A company that B2B direct debits can debit.',
}

const notesInHebrew: Readonly<Record<string, string>> = {
  'PSU-Successful': 'חשבונות, חיסכון וכרטיס עם 13 חודשי תנועות. מומלץ להתחיל כאן.',
  'PSU-NegativeBalance': 'החשבון במינוס, בתוך מסגרת האשראי.',
  'PSU-NoTransactions': 'בחשבון אין תנועות ואין כסף.',
  'PSU-AccountBlocked': 'החשבון חסום.',
  'PSU-AccountClosed': 'החשבון סגור.',
  'PSU-Corporate': 'חברה. יש לשלוח את PSU-Corporate-ID שלה בכל בקשה.',
  'PSU-Multicurrency': 'IBAN אחד עם תת־חשבונות בשקלים, באירו ובדולרים.',
  'PSU-Euro': 'חשבונות בגרמניה ובהולנד, ל-SEPA.',
  'PSU-EuroCorporate': 'חברה שאפשר לחייב בחיובי B2B.',
}

/** One customer, as shown by `tollgate sandbox customers` and the portal's page. */
export function describeCustomer(psu: (typeof sandboxPsus)[number]) {
  const { id, alias, name, behaviour, corporateId, accounts, card } = psu
  return {
    psuId: id,
    alias,
    name: sandboxNameIn('en', name),
    nameInHebrew: sandboxNameIn('he', name),
    behaves: behaviourWords(behaviour),
    behavesInHebrew: behaviourWords(behaviour, 'he'),
    isReadyToConsent: keepsConsents(behaviour),
    note: notes[alias] ?? null,
    noteInHebrew: notesInHebrew[alias] ?? null,
    corporateId: corporateId ?? null,
    accounts: accounts.map(
      ({ id: resourceId, iban, currency, name, displayName, cashAccountType, usage, status }) => ({
        resourceId,
        iban,
        currency,
        // The API shows both names; customers see this one first.
        name: displayName ?? name,
        nameInHebrew: sandboxNameIn('he', displayName ?? name),
        cashAccountType,
        usage,
        status,
      }),
    ),
    card: card === undefined ? null : { resourceId: card.id, maskedPan: card.maskedPan },
  }
}
