#!/bin/sh
# Gives each service of systemd its copies of the secrets in /etc/tollgate/secrets, which only its user can read. docs/install.md
# says how to use it: as root, after each change of a secret. A copy that is up to date stays as it is.
set -eu
secrets=${1:-/etc/tollgate/secrets}

give() { # give <service> <secret>...
  # Root owns the copies: a service reads them, and cannot put anything in their place.
  group=tollgate-$1
  folder=$secrets/$1
  shift
  install -d -m 0750 -o root -g "$group" "$folder"
  for name; do
    if [ ! -e "$secrets/$name" ]; then
      rm -f "$folder/$name"
      continue
    fi
    cmp -s "$secrets/$name" "$folder/$name" && continue
    # In one go: a service never reads half a secret.
    install -m 0440 -o root -g "$group" "$secrets/$name" "$folder/.$name"
    mv -f "$folder/.$name" "$folder/$name"
  done
}

# Services pass through the folder to their own, and read nothing else in it.
find "$secrets" -maxdepth 1 -type f -exec chmod 0600 {} +
chmod 0711 "$secrets"
give gateway database-url-gateway redis-url key-pepper identity management-token
give portal database-url-portal redis-url key-pepper session-secret smtp-url oidc-client-secret management-token sandbox-secret
give bank database-url-bank management-token sandbox-secret
