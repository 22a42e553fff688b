#!/bin/sh
# Copies what Node needs of a Debian system into a folder, for an image without a shell and without packages: Node, the
# libraries that it is linked with, `env` for the first line of commands, the names of two users, and empty folders.
set -eu
system=$1
node=$(command -v node)
mkdir -p "$system/etc" "$system/usr/bin" "$system/usr/local/bin"
install -d -m 1777 "$system/tmp"
install -d -m 0700 -o 1000 -g 1000 "$system/data"
cp -pL "$node" "$system/usr/local/bin/node"
cp -pL "$(command -v env)" "$system/usr/bin/env"
# Paths of libraries, the loader among them: `libc.so.6 => /lib/…/libc.so.6 (0x…)`.
libraries=$(ldd "$node" /usr/bin/env | grep -oE '/[^ :]+ ' | sort -u)
for file in $libraries; do
  mkdir -p "$system$(dirname "$file")"
  cp -pL "$file" "$system$file"
done
# What a scanner looks for, and the licences.
mkdir -p "$system/var/lib/dpkg/status.d"
for file in $libraries /usr/bin/env; do
  # Debian merged /lib into /usr/lib, and its list may name either.
  dpkg-query --search "$file" 2> /dev/null || dpkg-query --search "/usr$file" 2> /dev/null || dpkg-query --search "${file#/usr}"
done | cut -d: -f1 | sort -u | while read -r package; do
  dpkg-query --status "$package" > "$system/var/lib/dpkg/status.d/$package"
  mkdir -p "$system/usr/share/doc/$package"
  cp -pL "/usr/share/doc/$package/copyright" "$system/usr/share/doc/$package/"
done
[ ! -e /usr/local/LICENSE ] || cp -pL /usr/local/LICENSE "$system/usr/local/LICENSE"
printf 'root:x:0:0::/:/sbin/nologin\nnode:x:1000:1000::/data:/sbin/nologin\n' > "$system/etc/passwd"
printf 'root:x:0:\nnode:x:1000:\n' > "$system/etc/group"
printf 'hosts: files dns\n' > "$system/etc/nsswitch.conf"
cp -L /etc/os-release "$system/etc/os-release"
ln -s /app/bin/tollgate.js "$system/usr/local/bin/tollgate"
