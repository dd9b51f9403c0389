#!/usr/bin/env bash
# Installs what the tests need beside Python: etcd, the Docker engine with compose and buildx, kubectl, and Go where
# there is no Jaeger yet (deploy/dev/jaeger.sh builds it).
#
# For Debian (bookworm or later) as root; anywhere else it says what is missing and leaves the machine alone. Safe to
# run again: with everything in place it finishes at once. Debian's stable suite has no etcd 3.5 and no compose, so
# they come from trixie, pinned low enough that nothing else on the machine is upgraded.
#
#   deploy/dev/bootstrap.sh            install what is missing
#   deploy/dev/bootstrap.sh --check    only say what is missing; exit 1 if anything is
#   deploy/dev/bootstrap.sh --venv     only what `python3 -m venv` needs, from the machine's own suite
set -euo pipefail

readonly SUITE=trixie
readonly SOURCE_FILE=/etc/apt/sources.list.d/steersman-${SUITE}.list
readonly PIN_FILE=/etc/apt/preferences.d/steersman-${SUITE}

# component -> the command that proves it is there -> the Debian packages that bring it
readonly COMPONENTS=(
  "etcd|etcd --version|etcd-server etcd-client"
  "docker|dockerd --version|docker.io docker-cli iptables"
  "compose|docker compose version|docker-compose"
  "buildx|docker buildx version|docker-buildx"
  "kubectl|kubectl version --client|kubernetes-client"
  "registry|docker-registry --version|docker-registry"
  "busybox|busybox-static-or-busybox|busybox-static"
  "go|jaeger-or-go|golang-go"
)

works() {
  case "$1" in
    busybox-static-or-busybox) [ -x /bin/busybox ] || [ -x /usr/bin/busybox ] ;;
    jaeger-or-go) "$(dirname "$0")/jaeger.sh" --find >/dev/null 2>&1 || command -v go >/dev/null ;;
    *) $1 >/dev/null 2>&1 ;;
  esac
}

missing_components() {
  local row name probe packages
  for row in "${COMPONENTS[@]}"; do
    IFS='|' read -r name probe packages <<<"$row"
    works "$probe" || echo "$name|$packages"
  done
}

# The mirror that this machine already uses, so that the script names none.
current_mirror() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] || continue
    sed -nE 's#^(URIs: *|deb (\[[^]]*\] *)?)(https?://[^ ]*/debian)/?( .*)?$#\3#p' "$file"
  done | head -n 1
}

add_suite() {
  local mirror
  mirror=$(current_mirror)
  [ -n "$mirror" ] || { echo "bootstrap: no Debian mirror found in the apt sources" >&2; return 1; }
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $SUITE main" >"$SOURCE_FILE"
  printf 'Package: *\nPin: release n=%s\nPin-Priority: 100\n' "$SUITE" >"$PIN_FILE"
}

update_suite() {
  # Only our own list: a broken third-party entry of this machine is none of our business.
  local attempt
  for attempt in 1 2 3; do
    apt-get update -qq -o Dir::Etc::sourcelist="$SOURCE_FILE" -o Dir::Etc::sourceparts=- \
      -o APT::Get::List-Cleanup=0 && return 0
    echo "bootstrap: apt-get update failed (attempt $attempt of 3)" >&2
    sleep $((attempt * 2))
  done
  return 1
}

install_packages() {
  # Services must not start by themselves: tests start and stop their own.
  local policy=/usr/sbin/policy-rc.d made_policy=no status=0
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    made_policy=yes
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -t "$SUITE" \
    -o Dpkg::Use-Pty=0 "$@" >/var/log/steersman-bootstrap.log 2>&1 || status=$?
  [ "$made_policy" = no ] || rm -f "$policy"
  [ "$status" = 0 ] || tail -n 30 /var/log/steersman-bootstrap.log >&2
  return "$status"
}

install_venv() {
  if [ "$(id -u)" != 0 ] || ! [ -f /etc/debian_version ]; then
    echo "bootstrap: python3 cannot make virtualenvs here: install its venv module" >&2
    return 1
  fi
  apt-get update -qq || true  # an entry of the machine's own may be broken; what matters is the next line
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv
}

main() {
  local missing names packages
  if [ "${1:-}" = --venv ]; then
    install_venv
    return
  fi
  missing=$(missing_components)
  if [ -z "$missing" ]; then
    echo "bootstrap: everything the tests need is installed"
    return 0
  fi
  names=$(cut -d'|' -f1 <<<"$missing" | paste -sd' ')
  packages=$(cut -d'|' -f2 <<<"$missing" | paste -sd' ')
  if [ "${1:-}" = --check ]; then
    echo "bootstrap: missing: $names"
    return 1
  fi
  if [ "$(id -u)" != 0 ] || ! [ -f /etc/debian_version ]; then
    echo "bootstrap: missing: $names (install them yourself: this script installs on Debian as root only);"
    echo "bootstrap: tests that need them are left out"
    return 0
  fi
  echo "bootstrap: installing $packages"
  add_suite
  update_suite
  # shellcheck disable=SC2086  # a list of package names
  install_packages $packages
  missing=$(missing_components)
  if [ -n "$missing" ]; then
    echo "bootstrap: still missing after the installation: $(cut -d'|' -f1 <<<"$missing" | paste -sd' ')" >&2
    return 1
  fi
}

main "$@"
