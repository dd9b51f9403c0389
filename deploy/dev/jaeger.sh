#!/usr/bin/env bash
# Prints the path of a Jaeger binary, building one from its Go module when there is none yet.
#
#   deploy/dev/jaeger.sh            find it, or build it
#   deploy/dev/jaeger.sh --find     only find it; exit 1 if it is not there
#
# Looks in this order: $STEERSMAN_JAEGER, `jaeger` on the PATH, the cache ($STEERSMAN_CACHE, by default
# ~/.cache/steersman). A build needs Go and takes some minutes; what it made is kept in the cache. Jaeger's module has
# `replace` lines, so that `go install` refuses it: it is built from a copy of its source instead. The pages of its user
# interface are no part of the module: a binary made here answers queries, and shows a placeholder in a browser.
set -euo pipefail

# The newest version that Go's module proxy lists under this path; its cmd/jaeger is Jaeger 2.
readonly VERSION=v1.76.0
readonly CACHE=${STEERSMAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/steersman}
readonly BINARY=$CACHE/jaeger-$VERSION

# Modules come from the network, where a download may fail for once; what has been done is not done again.
persistently() {
  local attempt
  for attempt in 1 2 3; do
    "$@" && return 0
    echo "jaeger: attempt $attempt of 3 failed" >&2
    sleep $((attempt * 5))
  done
  return 1
}

if [ -n "${STEERSMAN_JAEGER:-}" ]; then
  [ -x "$STEERSMAN_JAEGER" ] || { echo "jaeger: $STEERSMAN_JAEGER is no program" >&2; exit 1; }
  echo "$STEERSMAN_JAEGER"
  exit 0
fi
if command -v jaeger; then exit 0; fi
if [ -x "$BINARY" ]; then echo "$BINARY"; exit 0; fi
if [ "${1:-}" = --find ]; then echo "jaeger: not found; deploy/dev/jaeger.sh builds it" >&2; exit 1; fi
command -v go >/dev/null || { echo "jaeger: not found, and without Go it cannot be built" >&2; exit 1; }

echo "jaeger: building $VERSION, once" >&2
mkdir -p "$CACHE"
work=$(mktemp -d "$CACHE/jaeger-build.XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
# A Go that is older than the module asks for fetches the one that it wants.
export GOPATH=$work/go GOCACHE=$work/go-build GOFLAGS=-mod=mod GOTOOLCHAIN=auto CGO_ENABLED=0
cd "$work"
module=$(persistently go mod download -json "github.com/jaegertracing/jaeger@$VERSION" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
cp -r "$module" source
chmod -R u+w source
cd source
persistently go build -trimpath -ldflags '-s -w' -o "$work/jaeger" ./cmd/jaeger >&2
mv "$work/jaeger" "$BINARY"
echo "$BINARY"
