#!/usr/bin/env bash
# Ends what deploy/compose.yaml (or the file in COMPOSE_FILE) started, with its data and the containers of its pods.
#
# Agents leave pods running when they stop, so that an upgrade of an agent disturbs nobody; `docker compose down` alone
# therefore leaves pods behind. They are found by the label that names their cluster.
set -euo pipefail
export COMPOSE_FILE=${COMPOSE_FILE:-$(dirname "$0")/compose.yaml}
readonly LABEL=steersman.io/cluster NODES=/var/lib/steersman-nodes

project=$(docker compose config --format json | sed -n 's/^  "name": "\(.*\)",$/\1/p')
clusters=$(docker ps --all --filter "network=${project}_default" --filter "label=$LABEL" --format "{{.Label \"$LABEL\"}}" | sort -u)
docker compose --profile '*' kill >/dev/null 2>&1 || true   # agents first of all, or they would start pods again
for cluster in $clusters; do
  docker ps --all --quiet --filter "label=$LABEL=$cluster" | xargs --no-run-if-empty docker rm --force --volumes >/dev/null
  docker volume ls --quiet --filter "label=$LABEL=$cluster" | xargs --no-run-if-empty docker volume rm >/dev/null
  # What was mounted into pods, their tokens included, is on the engine's machine and belongs to root.
  docker run --rm --network none --user root --volume "$NODES:$NODES" steersman/steersman:latest \
    sh -c "rm -rf $NODES/*/$cluster"
done
docker compose --profile '*' down --volumes --remove-orphans
