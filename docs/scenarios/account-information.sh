#!/bin/sh
# Reads a customer's accounts: consent, approval, accounts with balances, all transactions of one account, end of the consent.
#
#   KEY=tg_… sh docs/scenarios/account-information.sh
#
# After `npm install` of a release, the script is in node_modules/tollgate/docs/scenarios.
set -eu
. "$(dirname "$0")/calls.sh"

step 'Ask for a consent to everything (once, so that it ends no other consent)'
call 201 POST /v1.7.0/consents '{"access":{"allPsd2":"allAccounts"},"recurringIndicator":false,
  "validUntil":"9999-12-31","frequencyPerDay":1,"combinedServiceIndicator":false}' \
  "PSU-ID: $PSU" 'TPP-Redirect-Preferred: false'
consent=$(member consentId)
self=$(link self)
consent_status=$(link status)

step 'The PSU approves: password, method, one-time password'
approve_embedded
call 200 GET "$consent_status"
has consentStatus valid || stop "the consent is $(member consentStatus)"

step 'Accounts, with balances'
call 200 GET '/v1.7.0/accounts?withBalance=true' '' "Consent-ID: $consent"
printf '%s' "$body" | grep -q '"balances":\[' || stop 'no balances'

step 'Transactions of the first account, page by page'
to="$(link transactions)?bookingStatus=booked&dateFrom=$(($(date -u +%Y) - 1))-01-01"
pages=0
while [ -n "$to" ]; do
  call 200 GET "$to" '' "Consent-ID: $consent"
  pages=$((pages + 1))
  # The last page has no next.
  to=$(first '"next":{"href":"\([^"]*\)"')
done
printf '%s\n' "pages: $pages"

step 'End of the consent'
call 204 DELETE "$self"
call 200 GET "$consent_status"
has consentStatus terminatedByTpp || stop "the consent is $(member consentStatus)"
call 401 GET /v1.7.0/accounts '' "Consent-ID: $consent"

step 'Done'
