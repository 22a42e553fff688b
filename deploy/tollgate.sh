#!/bin/sh
# The command `tollgate` of docs/install.md, for root: the settings of this machine, unless you have set them yourself.
set -a
# The file must not replace a setting that is set, not even one that is set to nothing. Its PATH counts.
given=$(export -p)
. /etc/tollgate/tollgate.env
path=$PATH
eval "$given"
PATH=$path
unset given path
secrets=/etc/tollgate/secrets
CONFIG_DIR=${CONFIG_DIR-/etc/tollgate/config}
DATA_DIR=${DATA_DIR-/var/lib/tollgate}
# A setting in the environment needs no file with it.
[ "${REDIS_URL+set}" ] || REDIS_URL_FILE=${REDIS_URL_FILE-$secrets/redis-url}
[ "${KEY_PEPPER+set}" ] || KEY_PEPPER_FILE=${KEY_PEPPER_FILE-$secrets/key-pepper}
[ "${SESSION_SECRET+set}" ] || SESSION_SECRET_FILE=${SESSION_SECRET_FILE-$secrets/session-secret}
[ "${DATABASE_URL+set}" ] || DATABASE_URL_FILE=${DATABASE_URL_FILE-$secrets/database-url-serving}
exec /opt/tollgate/tollgate "$@"
