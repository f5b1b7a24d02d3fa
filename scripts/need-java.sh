#!/usr/bin/env bash
# Makes sure that Java 17 and Maven are there for the servers of the cluster tests: takes what is there, else installs the
# system's packages where that is possible, else says what is missing. Prints the path of the Java.
set -u

find_java() {
  local path
  for path in "${JAVA:-}" "${JAVA_HOME:-}/bin/java" /usr/lib/jvm/*17*/bin/java java; do
    if [ -n "$path" ] && "$path" -version 2>&1 | grep -q 'version "17[."]'; then
      command -v "$path"
      return 0
    fi
  done
  return 1
}

all_there() { command -v mvn >/dev/null && find_java; }

install_packages() {
  command -v apt-get >/dev/null || return 1
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n)
  fi
  echo "cluster tests: installing $* with apt-get" >&2
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get install -y -q --no-install-recommends "$@" >&2 && return 0
  "${as_root[@]}" apt-get update -q >&2 &&
    "${as_root[@]}" apt-get install -y -q --no-install-recommends "$@" >&2
}

all_there && exit 0
install_packages openjdk-17-jre-headless maven
all_there && exit 0
echo 'cluster tests: Java 17 or Maven is missing. Install both (Debian: apt-get install openjdk-17-jre-headless maven),' \
  'or name a Java 17 in JAVA.' >&2
exit 1
