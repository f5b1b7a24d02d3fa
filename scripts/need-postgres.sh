#!/usr/bin/env bash
# Makes sure there is a PostgreSQL for the cluster tests: takes the one that is there, else installs the system's package
# where that is possible, else says what is missing. Prints the path of the server.
set -u

find_postgres() {
  ls /usr/lib/postgresql/*/bin/postgres 2>/dev/null | sort -V | tail -n 1 | grep . || command -v postgres
}

install_postgres() {
  command -v apt-get >/dev/null || return 1
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n)
  fi
  echo 'cluster tests: installing postgresql with apt-get' >&2
  # RUNLEVEL: the package shall not start a server of its own.
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  "${as_root[@]}" apt-get install -y -q --no-install-recommends postgresql >&2 && return 0
  "${as_root[@]}" apt-get update -q >&2 &&
    "${as_root[@]}" apt-get install -y -q --no-install-recommends postgresql >&2
}

find_postgres && exit 0
install_postgres
find_postgres && exit 0
echo 'cluster tests: no PostgreSQL found. Install it (Debian: apt-get install postgresql).' >&2
exit 1
