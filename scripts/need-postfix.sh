#!/usr/bin/env bash
# Makes sure there is a Postfix for the judges of mail: takes the one that is there, else installs the system's package
# where that is possible, else says what is missing. Prints the path of its master control. Nothing of it is started.
set -u

find_postfix() { PATH="$PATH:/usr/sbin" command -v postfix; }

install_postfix() {
  command -v apt-get >/dev/null || return 1
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n)
  fi
  echo 'judges: installing postfix with apt-get' >&2
  # RUNLEVEL: the package shall not start a server of its own. Nor ask how mail is to be delivered here.
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  local install=("${as_root[@]}" apt-get install -y -q --no-install-recommends postfix)
  echo 'postfix postfix/main_mailer_type select No configuration' | "${as_root[@]}" debconf-set-selections
  "${install[@]}" >&2 && return 0
  "${as_root[@]}" apt-get update -q >&2 && "${install[@]}" >&2
}

find_postfix && exit 0
install_postfix
find_postfix && exit 0
echo 'judges: no Postfix found. Install one (Debian: apt-get install postfix).' >&2
exit 1
