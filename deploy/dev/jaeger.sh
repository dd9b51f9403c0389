#!/usr/bin/env bash
# Prints the path of a Jaeger binary, building one from its Go module when there is none yet.
#
# Looks in this order: $STEERSMAN_JAEGER, `jaeger` on the PATH, the cache ($STEERSMAN_CACHE, by default
# ~/.cache/steersman). A build needs Go and takes some minutes; what it made is kept in the cache. Jaeger's module has
# `replace` lines, so that `go install` refuses it: it is built from a copy of its source instead. The pages of its user
# interface are no part of the module: a binary made here answers queries, and shows a placeholder in a browser.
set -euo pipefail

readonly VERSION=v1.76.0   # the last tag of the module path; its cmd/jaeger is Jaeger 2
readonly CACHE=${STEERSMAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/steersman}
readonly BINARY=$CACHE/jaeger-$VERSION

if [ -n "${STEERSMAN_JAEGER:-}" ]; then
  [ -x "$STEERSMAN_JAEGER" ] || { echo "jaeger: $STEERSMAN_JAEGER is no program" >&2; exit 1; }
  echo "$STEERSMAN_JAEGER"
  exit 0
fi
if command -v jaeger; then exit 0; fi
if [ -x "$BINARY" ]; then echo "$BINARY"; exit 0; fi
if [ "${1:-}" = --find ]; then echo "jaeger: not found; deploy/dev/jaeger.sh builds it" >&2; exit 1; fi
command -v go >/dev/null || { echo "jaeger: not found, and without Go it cannot be built" >&2; exit 1; }

mkdir -p "$CACHE"
work=$(mktemp -d "$CACHE/jaeger-build.XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export GOPATH=$work/go GOFLAGS=-mod=mod CGO_ENABLED=0
module=$(cd "$work" && go mod download -json "github.com/jaegertracing/jaeger@$VERSION" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
cp -r "$module" "$work/source"
chmod -R u+w "$work/source"
(cd "$work/source" && go build -trimpath -ldflags '-s -w' -o "$work/jaeger" ./cmd/jaeger) >&2
mv "$work/jaeger" "$BINARY"
echo "$BINARY"
