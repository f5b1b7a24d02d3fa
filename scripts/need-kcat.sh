#!/usr/bin/env bash
# Makes sure there is kcat, a Kafka client that is not ours, for the tests of the events topic: takes the one that is there,
# else installs the system's package where that is possible, else says what is missing. Prints the path of the program.
set -u

find_kcat() {
  local name
  for name in "${KCAT:-}" kcat kafkacat; do
    if [ -n "$name" ] && command -v "$name"; then return 0; fi
  done
  return 1
}

install_kcat() {
  command -v apt-get >/dev/null || return 1
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n)
  fi
  echo 'events topic tests: installing kcat with apt-get' >&2
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get install -y -q --no-install-recommends kcat >&2 && return 0
  "${as_root[@]}" apt-get update -q >&2 && "${as_root[@]}" apt-get install -y -q --no-install-recommends kcat >&2
}

find_kcat && exit 0
install_kcat
find_kcat && exit 0
echo 'events topic tests: no kcat found. Install it (Debian: apt-get install kcat), or set KCAT to its path.' >&2
exit 1
