#!/usr/bin/env bash
# Makes sure there is a Redis (or Valkey) for the cluster tests: takes the one that is there, else installs the system's
# package where that is possible, else says what is missing. Prints the path of the server.
set -u

find_redis() { command -v redis-server || command -v valkey-server; }

install_redis() {
  command -v apt-get >/dev/null || return 1
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n)
  fi
  echo 'cluster tests: installing redis-server with apt-get' >&2
  # RUNLEVEL: the package shall not start a server of its own.
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  "${as_root[@]}" apt-get install -y -q --no-install-recommends redis-server >&2 && return 0
  "${as_root[@]}" apt-get update -q >&2 &&
    "${as_root[@]}" apt-get install -y -q --no-install-recommends redis-server >&2
}

find_redis && exit 0
install_redis
find_redis && exit 0
echo 'cluster tests: no Redis found. Install one (Debian: apt-get install redis-server).' >&2
exit 1
