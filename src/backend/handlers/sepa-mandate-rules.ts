import type { BankMessage } from '../bank-error.ts'
import { isCreditorIdentifier } from '../domain/creditor-identifier.ts'
import type { MandateRequest } from '../domain/mandate-request.ts'
import { compare } from '../domain/money.ts'

/** Maximum amount and lengths in messages between banks (SEPA direct debit rulebooks). */
const amountMost = '999999999.99'
const nameMost = 70
const addressLinesMost = 2
const addressLineMost = 70

/** Finds all violations of the SEPA direct debit rulebooks that the schemas of the API document do not detect. */
export function checkSepaMandate(body: MandateRequest): BankMessage[] {
  return [...checkCreditorIdentifier(body), ...checkParties(body), ...checkAmounts(body)]
}

/** Finds the creditor identifier, of a person or an organisation, and its path. `text` is undefined if it is missing. */
export function creditorIdentifierOf({ creditorSchemeIdentification }: MandateRequest) {
  const { privateId, organisationId } = creditorSchemeIdentification?.identification ?? {}
  const kind =
    privateId === undefined && organisationId !== undefined ? 'organisationId' : 'privateId'
  const path = `creditorSchemeIdentification.identification.${kind}.others[0]`
  const [first] = (privateId ?? organisationId)?.others ?? []
  return { path, text: first?.identification, scheme: first?.schemeNameProprietary }
}

function checkCreditorIdentifier(body: MandateRequest): BankMessage[] {
  const { path, text, scheme } = creditorIdentifierOf(body)
  if (text === undefined) {
    return [{ path: `${path}.identification`, text: 'Is required: the creditor identifier' }]
  }
  return [
    ...(isCreditorIdentifier(text)
      ? []
      : [
          {
            path: `${path}.identification`,
            text: 'The format or check digits of the creditor identifier are wrong',
          },
        ]),
    ...(scheme === 'SEPA' ? [] : [{ path: `${path}.schemeNameProprietary`, text: 'Must be SEPA' }]),
  ]
}

function checkParties(body: MandateRequest): BankMessage[] {
  const { creditorSchemeIdentification, creditor, ultimateCreditor, debtor, ultimateDebtor } = body
  const parties = {
    creditorSchemeIdentification,
    creditor,
    ultimateCreditor,
    debtor,
    ultimateDebtor,
  }
  return Object.entries(parties).flatMap(([path, party]) => {
    const lines = party?.postalAddress?.addressLines ?? []
    const isAddressLong =
      lines.length > addressLinesMost || lines.some((line) => lengthOf(line) > addressLineMost)
    return [
      ...(lengthOf(party?.name ?? '') > nameMost
        ? [{ path: `${path}.name`, text: `Must have at most ${nameMost} characters` }]
        : []),
      ...(isAddressLong
        ? [
            {
              path: `${path}.postalAddress.addressLines`,
              text: `Must be at most ${addressLinesMost} lines of ${addressLineMost} characters`,
            },
          ]
        : []),
    ]
  })
}

/** Counts code points, as the schemas do. */
function lengthOf(text: string): number {
  return [...text].length
}

function checkAmounts(body: MandateRequest): BankMessage[] {
  const { firstCollectionAmount, collectionAmount, maximumAmount } = body
  return Object.entries({ firstCollectionAmount, collectionAmount, maximumAmount }).flatMap(
    ([path, amount]) =>
      amount !== undefined && compare(amount.amount, amountMost) > 0
        ? [{ path: `${path}.amount`, text: `Must be at most ${amountMost}` }]
        : [],
  )
}
