#!/bin/sh
# Creates a mandate to debit an account. The debtor approves it in the bank's app, and the creditor ends it.
#
#   KEY=tg_… sh docs/scenarios/mandate.sh
#
# After `npm install` of a release, the script is in node_modules/tollgate/docs/scenarios.
set -eu
. "$(dirname "$0")/calls.sh"

step 'Ask for a mandate'
uuid=$(new_uuid)
call 201 POST /v1.0.0/mandates "{\"mandateId\":\"WATER-${uuid%%-*}\",
  \"type\":{\"localInstrumentCode\":\"MASAV\"},
  \"occurrences\":{\"sequenceType\":\"RCUR\",\"frequencyType\":\"Monthly\"},
  \"maximumAmount\":{\"currency\":\"ILS\",\"amount\":\"900.00\"},
  \"creditor\":{\"name\":\"Galil Water Works\"},
  \"debtor\":{\"name\":\"Noa Levi\"},
  \"debtorAccount\":{\"iban\":\"IL030205710000000200285\"}}" \
  "PSU-ID: $PSU" 'TPP-Decoupled-Preferred: true'
self=$(link self)
mandate_status=$(link status)

step 'The debtor approves in the app'
await "$mandate_status" mandateStatus valid
call 200 GET "$self"

step 'The creditor ends it'
call 204 DELETE "$self"
call 200 GET "$mandate_status"
has mandateStatus terminatedByTpp || stop "the mandate is $(member mandateStatus)"
has mandateReasonCode MD17 || stop "the reason is $(member mandateReasonCode)"

step 'Done'
