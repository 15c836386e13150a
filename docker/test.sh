#!/usr/bin/env bash
# Trains a v3-32 pod in containers and compares its weights with those of a run
# on this machine: same plan, same bits. Then measures the pod's all-reduce in
# containers, every element verified. Then kills a host, and compares the weights
# once more. Before all that: no pod without a token, and containers that may do
# nothing to the machine.
#
#   docker/test.sh [BUILD_DIR]      default build/release; already built
#
# Uses the Docker engine that runs; where none does, installs Debian's and runs
# it on a private socket. Where no registry answers, the base image is made with
# debootstrap. Ends with "N passed, N failed".
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
# shellcheck source=scripts/setup.sh
. "$root/scripts/setup.sh"
# shellcheck source=docker/engine.sh
. "$root/docker/engine.sh"

work=$(mktemp -d /tmp/podsim-docker-XXXXXX)
compose=$root/docker/compose.yaml
export COMPOSE_PROJECT_NAME=podsim-test
unset PODSIM_TOKEN
finish() {
  local code=$?
  export PODSIM_TOKEN=none-is-needed-to-end
  if [ -n "${DOCKER_HOST:-}" ]; then
    docker-compose -f "$compose" down --timeout 2 >/dev/null 2>&1 || true
  fi
  engine_stop "$work"
  rm -rf "$work"
  exit "$code"
}
trap finish EXIT

hash_in() { sed -n 's/.*weights hash[^0-9a-f]*\([0-9a-f]\{64\}\).*/\1/p' "$1" | tail -n 1; }

passed=0
fail() {
  echo "docker: $1" >&2
  tail -n 60 "$2" >&2
  echo "$passed passed, 1 failed"
  exit 1
}

# up NAME LOG FILE...: runs the pod of these compose files until its last container
# has ended; fails unless the coordinator ended with 0. Not --exit-code-from: that
# stops reading the coordinator's output when the first host ends.
up() {
  local name=$1 log=$2 files=() file
  shift 2
  for file in "$@"; do files+=(-f "$file"); done
  timeout 300 docker-compose "${files[@]}" up --no-build >"$log" 2>&1 </dev/null ||
    fail "$name has not ended" "$log"
  local code
  code=$(timeout 60 docker wait "$(docker-compose "${files[@]}" ps -q coordinator)") ||
    code=none
  [ "$code" = 0 ] || fail "$name ended with $code" "$log"
}

engine_start "$work"
base_image "$work"
cmake --install "$build" --prefix "$work/image" --component programs >/dev/null
docker build -q -f "$root/docker/Dockerfile" --target prebuilt -t podsim \
  "$work/image" >"$work/build.log" 2>&1 || fail "image build failed" "$work/build.log"

# Without a token compose says what is missing, and starts nothing.
if docker-compose -f "$compose" up --no-build >"$work/token.log" 2>&1 </dev/null; then
  fail "a pod without a token was started" "$work/token.log"
fi
grep "give this pod a secret of its own, .*: export PODSIM_TOKEN=" \
  "$work/token.log" || fail "no word on the token" "$work/token.log"
PODSIM_TOKEN=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
export PODSIM_TOKEN
passed=1

# Any slice: compose understands the file and finds all of its services.
"$build/bin/pod_launch" --print_compose v3-512 >"$work/v3-512.yaml"
services=$(docker-compose -f "$work/v3-512.yaml" config --services | wc -l) ||
  fail "compose refused the file of v3-512" "$work/v3-512.yaml"
[ "$services" = 65 ] || fail "$services services for v3-512" "$work/v3-512.yaml"
PODSIM_SOURCE=$root docker-compose -f "$work/v3-512.yaml" config |
  grep "context: $root\$" ||
  fail "a file outside docker/ does not find the sources" "$work/v3-512.yaml"
passed=2

up "the pod in containers" "$work/compose.log" "$compose"
"$build/bin/pod_launch" --topology v3-32 --model mlp >"$work/local.log" 2>&1 ||
  fail "the pod on this machine failed" "$work/local.log"

in_containers=$(hash_in "$work/compose.log")
local=$(hash_in "$work/local.log")
[ -n "$local" ] || fail "no weights hash in the output" "$work/local.log"
[ "$in_containers" = "$local" ] ||
  fail "weights differ: containers $in_containers, here $local" "$work/compose.log"
grep -h "weights hash" "$work/compose.log"
passed=3

# What a container may do: as no user, with no capability, writing nothing.
for service in coordinator host-3; do
  may=$(docker inspect -f '{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.HostConfig.SecurityOpt}} {{.HostConfig.Init}}' \
    "$(docker-compose -f "$compose" ps -q "$service")")
  echo "$service: $may"
  [ "$may" = "10001:10001 true [ALL] [no-new-privileges:true] true" ] ||
    fail "$service may do more than it should: $may" "$work/compose.log"
done
passed=4

up "the benchmark in containers" "$work/bench.log" "$compose" \
  "$root/docker/compose.bench.yaml"
grep -h "Out of bounds values : 0 OK" "$work/bench.log" ||
  fail "no verified result in the output" "$work/bench.log"
passed=5

# A host's process is killed from outside, as by a lack of memory; Docker's own
# commands would count as a wish to stop it.
pod=(docker-compose -f "$compose" -f "$root/docker/compose.restart.yaml")
"${pod[@]}" down --volumes --timeout 2 >/dev/null 2>&1
"${pod[@]}" up --no-build -d >"$work/restart.log" 2>&1 </dev/null ||
  fail "the pod with a restart policy did not start" "$work/restart.log"
logs() { "${pod[@]}" logs --no-color coordinator >"$work/restart.log" 2>&1; }
for _ in $(seq 300); do
  logs
  grep -q "| step " "$work/restart.log" && break
  sleep 0.1
done
victim=$(docker inspect -f '{{.State.Pid}}' "$("${pod[@]}" ps -q host-1)")
kill -9 "$victim" || fail "host-1 has ended before it could be killed" "$work/restart.log"
code=$(timeout 120 docker wait "$("${pod[@]}" ps -q coordinator)") || code=none
logs
"${pod[@]}" down --volumes --timeout 2 >/dev/null 2>&1
[ "$code" = 0 ] || fail "the pod that lost a host ended with $code" "$work/restart.log"
grep -h "restarting, generation 2" "$work/restart.log" ||
  fail "nothing was restarted" "$work/restart.log"
"$build/bin/pod_launch" --topology v3-32 --model mlp --train_steps 3000 \
  --reference_topology v3-32 \
  >"$work/whole.log" 2>&1 || fail "the pod on this machine failed" "$work/whole.log"
[ "$(hash_in "$work/restart.log")" = "$(hash_in "$work/whole.log")" ] ||
  fail "weights differ after the restart" "$work/restart.log"
echo "6 passed, 0 failed"
