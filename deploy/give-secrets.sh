#!/bin/sh
# Gives each service of systemd its copies of the secrets in /etc/tollgate/secrets, which only its user can read. docs/install.md
# says how to use it: as root, after each change of a secret. A copy that is up to date keeps its time.
# give-secrets.sh [<folder of the secrets>]
set -eu
secrets=${1:-/etc/tollgate/secrets}

give() { # give <service> <secret>...
  # Root owns the copies: a service reads them, and cannot put anything in their place.
  group=tollgate-$1
  folder=$secrets/$1
  # A machine may run only some of the services.
  getent group "$group" > /dev/null || return 0
  shift
  install -d -m 0750 -o root -g "$group" "$folder"
  for name; do
    copy=$folder/$name
    if [ ! -e "$secrets/$name" ]; then
      rm -f "$copy"
      continue
    fi
    if cmp -s "$secrets/$name" "$copy"; then
      chown "root:$group" "$copy"
      chmod 0440 "$copy"
      continue
    fi
    # In one go: a service never reads half a secret.
    install -m 0440 -o root -g "$group" "$secrets/$name" "$folder/.$name"
    mv -f "$folder/.$name" "$copy"
  done
}

# Services pass through the folder to their own, and read nothing else in it.
find "$secrets" -maxdepth 1 -type f -exec chmod 0600 {} +
chmod 0711 "$secrets"
give gateway database-url-gateway redis-url key-pepper identity management-token otel-headers
give portal database-url-portal redis-url key-pepper session-secret smtp-url oidc-client-secret management-token sandbox-secret
give bank database-url-bank management-token sandbox-secret
