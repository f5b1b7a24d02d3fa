#!/usr/bin/env bash
# Makes sure there is a Chromium for the browser tests: takes the one that is there, else installs the system's package
# where that is possible, else says what is missing. Prints the path of the browser.
set -u

find_chromium() {
  local name
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome-stable google-chrome; do
    if [ -n "$name" ] && command -v "$name"; then return 0; fi
  done
  return 1
}

install_chromium() {
  command -v apt-get >/dev/null || return 1
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n)
  fi
  echo 'browser tests: installing chromium with apt-get' >&2
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get install -y -q --no-install-recommends chromium >&2 && return 0
  "${as_root[@]}" apt-get update -q >&2 &&
    "${as_root[@]}" apt-get install -y -q --no-install-recommends chromium >&2
}

find_chromium && exit 0
install_chromium
find_chromium && exit 0
echo 'browser tests: no Chromium found. Install one (Debian: apt-get install chromium), or set CHROMIUM to its path.' >&2
exit 1
