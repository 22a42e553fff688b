# What the scenarios have in common: calls, answers and their links. Read with `.`, not run.
#
# GATEWAY is the gateway's address, KEY a key of an application that is subscribed to the versions called.

GATEWAY=${GATEWAY:-http://127.0.0.1:8080}
# Noa Levi, who approves everything (docs/sandbox.md).
PSU=305567661
LF='
'

# new_uuid: a random UUID in lower case, from Linux or from uuidgen.
new_uuid() {
  cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen | tr A-Z a-z
}

# step TEXT: says what comes next.
step() {
  printf '\n== %s\n' "$1"
}

# stop TEXT: says what was not as expected, and ends.
stop() {
  printf 'stopped: %s\n' "$1" >&2
  exit 1
}

# call STATUS METHOD PATH [BODY [HEADER…]]: makes a call and expects a status; the answer is in $body.
call() {
  expected=$1 method=$2 path=$3 json=${4:-}
  [ $# -lt 4 ] && shift 3 || shift 4
  for header; do
    shift
    set -- "$@" -H "$header"
  done
  [ -z "$json" ] || set -- "$@" -H 'Content-Type: application/json' --data "$json"
  answer=$(curl -sS -w '\n%{http_code}' -X "$method" "$GATEWAY$path" -H "X-API-Key: $KEY" \
    -H "X-Request-ID: $(new_uuid)" -H 'PSU-IP-Address: 127.0.0.1' "$@") ||
    stop "no answer from $GATEWAY (is Tollgate running? is GATEWAY its address?)"
  status=${answer##*"$LF"}
  body=${answer%"$LF"*}
  printf '%s %s\n  %s %s\n' "$method" "$path" "$status" "$body"
  [ "$status" = "$expected" ] || stop "expected $expected, the answer was $status"
}

# first PATTERN: what its group matches in the answer where it matches first, nothing when it does not.
first() {
  printf '%s' "$body" | sed -n "/$1/{s/$1.*/\\$LF\\1/;s/.*\\n//;p;}"
}

# member NAME: the text of a member of the answer, nothing when it has none.
member() {
  first "\"$1\":\"\([^\"]*\)\""
}

# link NAME: where a link of the answer leads.
link() {
  found=$(first "\"$1\":{\"href\":\"\([^\"]*\)\"")
  [ -n "$found" ] || stop "the answer has no link $1"
  printf '%s' "$found"
}

# has NAME VALUE: whether a member of the answer has this value.
has() {
  [ "$(member "$1")" = "$2" ]
}

# follow LINK STATUS METHOD [BODY [HEADER…]]: makes a call to where a link of the answer leads.
follow() {
  to=$(link "$1") || exit 1
  expected=$2 method=$3
  shift 3
  call "$expected" "$method" "$to" "$@"
}

# approve_embedded: takes the three steps of an approval through the TPP, each from the link of the answer before.
approve_embedded() {
  follow updatePsuAuthentication 200 PUT '{"psuData":{"password":"12345"}}' "PSU-ID: $PSU"
  follow selectAuthenticationMethod 200 PUT '{"authenticationMethodId":"sms-1"}' "PSU-ID: $PSU"
  follow authoriseTransaction 200 PUT '{"scaAuthenticationData":"123456"}' "PSU-ID: $PSU"
  has scaStatus finalised || stop "the approval is $(member scaStatus)"
}

# await PATH NAME VALUE…: asks until the member has one of the values, 30 seconds at most.
await() {
  path=$1 name=$2
  shift 2
  left=30
  while :; do
    call 200 GET "$path"
    for value; do
      has "$name" "$value" && return
    done
    left=$((left - 1))
    [ "$left" -gt 0 ] || stop "$name is $(member "$name") after 30 seconds, expected: $*"
    sleep 1
  done
}

[ -n "${KEY:-}" ] || stop 'KEY is not set: give an API key. The first start of Tollgate shows one on a terminal;
  tollgate onboard --email you@example.com --application Scenarios --api xs2a@1.7.0 mandate@1.0.0
makes another.'
