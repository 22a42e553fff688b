#!/bin/sh
# The command `tollgate` of docs/install.md, for root: the settings of this machine, unless you have set them yourself.
set -a
. /etc/tollgate/tollgate.env
secrets=/etc/tollgate/secrets
: "${CONFIG_DIR:=/etc/tollgate/config}" "${DATA_DIR:=/var/lib/tollgate}"
: "${REDIS_URL_FILE:=$secrets/redis-url}" "${KEY_PEPPER_FILE:=$secrets/key-pepper}" "${SESSION_SECRET_FILE:=$secrets/session-secret}"
[ "$DATABASE_URL" ] || : "${DATABASE_URL_FILE:=$secrets/database-url-serving}"
exec /opt/tollgate/tollgate "$@"
