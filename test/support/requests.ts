/** A payment of Noa Levi to another bank of her country. */
export const bill = {
  endToEndIdentification: 'INV-2026-00117',
  debtorAccount: { iban: 'IL030205710000000200285', currency: 'ILS' },
  instructedAmount: { currency: 'ILS', amount: '12.50' },
  creditorAccount: { iban: 'IL090123450000000123456' },
  creditorName: 'Galil Water Works',
  remittanceInformationUnstructured: 'Water bill 11/2026',
}

/** A payment of Anton Brueckner in euros. */
export const invoice = {
  debtorAccount: { iban: 'DE89370400440532013000' },
  instructedAmount: { currency: 'EUR', amount: '42' },
  creditorAccount: { iban: 'FR1420041010050500013M02606' },
  creditorName: 'Atelier Lumière',
}

/** The right to read everything for as long as the bank allows. */
export const consentRequest = {
  access: { allPsd2: 'allAccounts' },
  recurringIndicator: true,
  validUntil: '9999-12-31',
  frequencyPerDay: 100,
  combinedServiceIndicator: false,
}

/** A mandate on the account of Noa Levi; several need different mandateIds. */
export const mandateRequest = {
  mandateId: 'GWW-2026-004411',
  type: { localInstrumentCode: 'MASAV' },
  creditor: {
    name: 'Galil Water Works',
    identification: { organisationId: { others: [{ identification: '30417' }] } },
  },
  debtor: { name: 'Noa Levi' },
  debtorAccount: { iban: 'IL030205710000000200285' },
}
