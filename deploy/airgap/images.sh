#!/usr/bin/env bash
# Makes every image that deploy/compose.yaml names without any registry: from Debian packages, wheels and one Go build.
#
#   deploy/airgap/images.sh              all of them
#   deploy/airgap/images.sh NAME …       base, steersman, pause, etcd, jaeger, busybox, nginx
#
# Needs root on Debian (mmdebstrap makes the root file systems) and a Docker engine. What is already there is not made
# again, but for `steersman` itself. The base has the Python of this machine's virtualenv, because the wheels are built
# with it; so that Python must be one that a Debian suite has: 3.11 (bookworm) or 3.13 (trixie).
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly PYTHON=${PYTHON:-.venv/bin/python}
readonly BASE=steersman/base:1
readonly NOBODY=65532   # who runs what needs no root; the number that the Dockerfile has too
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

have() { docker image inspect "$1" >/dev/null 2>&1; }

install() {   # command package
  command -v "$1" >/dev/null && return
  echo "images: installing $2"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null
}

mirror() {
  sed -nE 's#^(URIs: *|deb (\[[^]]*\] *)?)(https?://[^ ]*/debian)/?( .*)?$#\3#p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null | head -n 1
}

suite_of_python() {
  case "$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" in
    3.11) echo bookworm ;;
    3.13) echo trixie ;;
    *) echo "images: no Debian suite has the Python of $PYTHON; make the virtualenv with 3.11 or 3.13" >&2; return 1 ;;
  esac
}

make_base() {
  have "$BASE" && return
  install mmdebstrap mmdebstrap
  local suite
  suite=$(suite_of_python)
  # Perl comes along as a dependency of a dependency, and is a quarter of the whole; nothing here runs it.
  mmdebstrap --quiet --variant=minbase --include=python3,python3-venv,ca-certificates \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt' \
    --customize-hook='rm -rf "$1"/usr/share/perl "$1"/usr/lib/*/perl "$1"/usr/lib/*/libperl.so*' \
    "$suite" "$work/base.tar" "$(mirror)"
  docker import "$work/base.tar" "$BASE" >/dev/null
}

make_steersman() {
  make_base
  rm -rf build/wheels
  "$PYTHON" -m pip wheel --quiet --disable-pip-version-check --constraint deploy/dev/constraints.txt --wheel-dir build/wheels .
  docker build --quiet --network none --file deploy/Dockerfile --build-arg BASE="$BASE" --tag steersman/steersman:latest . >/dev/null
}

# A root file system with nothing but a static busybox under all of its names.
busybox_root() {
  install busybox busybox-static
  mkdir -p "$1/bin" "$1/tmp" "$1/etc" "$1/proc" "$1/sys" "$1/dev" "$1/root" "$1/var"
  chmod 1777 "$1/tmp"
  cp "$(command -v busybox)" "$1/bin/busybox"
  "$1/bin/busybox" --install -s "$1/bin" 2>/dev/null
  for link in "$1"/bin/*; do [ -L "$link" ] && ln -sf busybox "$link"; done
  echo 'root:x:0:0:root:/root:/bin/sh' >"$1/etc/passwd"
  echo 'nobody:x:65534:65534:nobody:/:/bin/false' >>"$1/etc/passwd"
  echo 'root:x:0:' >"$1/etc/group"
}

import_root() {   # root image [dockerfile instruction …]
  local root=$1 image=$2 change=()
  shift 2
  for instruction in "$@"; do change+=(--change "$instruction"); done
  tar -C "$root" -c . | docker import "${change[@]}" - "$image" >/dev/null
}

make_busybox() {
  have busybox:1.36 && return
  busybox_root "$work/busybox"
  import_root "$work/busybox" busybox:1.36 'CMD ["sh"]' 'ENV PATH=/bin'
}

make_pause() {
  have steersman/pause:1 && return
  busybox_root "$work/pause"
  import_root "$work/pause" steersman/pause:1 'ENV PATH=/bin' \
    'ENTRYPOINT ["/bin/sh", "-c", "trap \"exit 0\" TERM INT; while :; do sleep 2147483647 & wait $!; done"]'
}

# A program with the libraries that it is linked to.
copy_program() {   # root program
  local file
  for file in "$2" $(ldd "$2" 2>/dev/null | grep -o '/[^ ]*'); do
    mkdir -p "$1$(dirname "$file")"
    cp -L "$file" "$1$file"
  done
}

make_etcd() {
  have steersman/etcd:3.5 && return
  busybox_root "$work/etcd"
  copy_program "$work/etcd" "$(command -v etcd)"
  copy_program "$work/etcd" "$(command -v etcdctl)"
  mkdir -p "$work/etcd/var/lib/etcd"   # a new volume takes over whose it is
  chown "$NOBODY:$NOBODY" "$work/etcd/var/lib/etcd"
  chmod 700 "$work/etcd/var/lib/etcd"
  import_root "$work/etcd" steersman/etcd:3.5 'ENV PATH=/usr/bin:/bin' 'CMD ["etcd"]' 'VOLUME /var/lib/etcd' \
    "USER $NOBODY:$NOBODY"
}

make_jaeger() {
  have steersman/jaeger:2 && return
  busybox_root "$work/jaeger"
  local jaeger
  jaeger=$(deploy/dev/jaeger.sh)
  copy_program "$work/jaeger" "$jaeger"
  mkdir -p "$work/jaeger/usr/bin"
  mv "$work/jaeger$jaeger" "$work/jaeger/usr/bin/jaeger"
  import_root "$work/jaeger" steersman/jaeger:2 'ENV PATH=/usr/bin:/bin' 'ENTRYPOINT ["jaeger"]' "USER $NOBODY:$NOBODY"
}

make_nginx() {
  have nginx:1.25 && return
  install mmdebstrap mmdebstrap
  mmdebstrap --quiet --variant=minbase --include=nginx-light \
    --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt' \
    --customize-hook='ln -sf /dev/stdout "$1"/var/log/nginx/access.log; ln -sf /dev/stderr "$1"/var/log/nginx/error.log' \
    "$(suite_of_python)" "$work/nginx.tar" "$(mirror)"
  docker import --change 'CMD ["nginx", "-g", "daemon off;"]' --change 'EXPOSE 80' --change 'STOPSIGNAL SIGQUIT' \
    "$work/nginx.tar" nginx:1.25 >/dev/null
}

for name in "${@:-base steersman pause etcd jaeger busybox nginx}"; do
  for image in $name; do
    echo "images: $image"
    "make_$image"
  done
done
