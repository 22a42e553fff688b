#!/bin/sh
# Pays at once and reads the booked entry. Then schedules a payment for next month and cancels it.
#
#   KEY=tg_… sh docs/scenarios/payment-initiation.sh
#
# After `npm install` of a release, the script is in node_modules/tollgate/docs/scenarios.
set -eu
. "$(dirname "$0")/calls.sh"

debtor='{"iban":"IL030205710000000200285","currency":"ILS"}'

# pay PRODUCT [MEMBERS]: initiates a payment of 12.50 with a reference of its own, and has it approved.
pay() {
  uuid=$(new_uuid)
  reference="INV-${uuid%%-*}"
  call 201 POST "/v1.7.0/payments/$1" "{\"endToEndIdentification\":\"$reference\",
    \"instructedAmount\":{\"currency\":\"ILS\",\"amount\":\"12.50\"},
    \"debtorAccount\":$debtor,
    \"creditorAccount\":{\"iban\":\"IL090123450000000123456\"},\"creditorName\":\"Galil Water Works\",
    \"remittanceInformationUnstructured\":\"Water bill\"${2:-}}" \
    "PSU-ID: $PSU" 'TPP-Redirect-Preferred: false'
  has transactionStatus RCVD || stop "the payment is $(member transactionStatus)"
  self=$(link self)
  payment_status=$(link status)
  approve_embedded
}

step 'A payment at once (fp)'
pay fp
paid=$reference

step 'Its status, until it is booked'
await "$payment_status" transactionStatus ACSC ACCC

step 'Its entry in the account, under a consent'
call 201 POST /v1.7.0/consents "{\"access\":{\"accounts\":[$debtor],\"transactions\":[$debtor]},
  \"recurringIndicator\":false,\"validUntil\":\"9999-12-31\",\"frequencyPerDay\":1,
  \"combinedServiceIndicator\":false}" \
  "PSU-ID: $PSU" 'TPP-Redirect-Preferred: false'
consent=$(member consentId)
consent_self=$(link self)
approve_embedded
call 200 GET /v1.7.0/accounts '' "Consent-ID: $consent"
# What is new since the last time: the payment is on the first page, as the newest entry.
to="$(link transactions)?bookingStatus=booked&deltaList=true"
call 200 GET "$to" '' "Consent-ID: $consent"
printf '%s' "$body" | grep -q "\"endToEndId\":\"$paid\"" || stop "no entry of $paid"
call 204 DELETE "$consent_self"

step 'A payment for the 15th of next month (masav)'
month=$(date +%m)
month=$((${month#0} % 12 + 1))
year=$(date +%Y)
[ "$month" -ne 1 ] || year=$((year + 1))
pay masav ",\"requestedExecutionDate\":\"$(printf '%04d-%02d-15' "$year" "$month")\""
call 200 GET "$payment_status"

step 'It is cancelled: the PSU approves that in the app'
call 202 DELETE "$self" '' 'TPP-Decoupled-Preferred: true'
await "$payment_status" transactionStatus CANC

step 'Done'
