# Sourced by docker/test.sh: a Docker engine to test on, and the base image.
#
#   engine_start DIR   exports DOCKER_HOST; uses the running engine, or starts
#                      dockerd on a private socket and data directory in DIR
#   engine_stop DIR    stops what engine_start started
#   base_image DIR     makes debian:bookworm-slim available
# shellcheck shell=bash

wait_for_engine() {
  for _ in $(seq 100); do
    docker version >/dev/null 2>&1 && return 0
    read -rt 0.2 <> <(:) || true
  done
  return 1
}

engine_start() {
  local dir=$1
  if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
    return 0
  fi
  install_missing docker.io docker-compose debootstrap iptables
  mkdir -p "$dir/data" "$dir/exec"
  # A short socket path: the kernel allows 107 characters.
  dockerd --host "unix://$dir/docker.sock" --data-root "$dir/data" \
    --exec-root "$dir/exec" --pidfile "$dir/docker.pid" \
    >"$dir/dockerd.log" 2>&1 &
  export DOCKER_HOST="unix://$dir/docker.sock"
  wait_for_engine || {
    echo "dockerd did not start; the end of its log:" >&2
    tail -n 20 "$dir/dockerd.log" >&2
    return 1
  }
}

engine_stop() {
  local dir=$1
  [ -f "$dir/docker.pid" ] || return 0
  local pid
  pid=$(cat "$dir/docker.pid")
  kill "$pid" 2>/dev/null || true
  tail --pid="$pid" -f /dev/null
  # Where / is no mount of its own, the engine binds its folder and may leave it so.
  if mountpoint --quiet "$dir/data"; then
    umount --recursive "$dir/data" || umount --lazy "$dir/data"
  fi
}

# Where no registry answers, the image is made from Debian's packages.
base_image() {
  local dir=$1 image=debian:bookworm-slim
  docker image inspect "$image" >/dev/null 2>&1 && return 0
  timeout 20 docker pull -q "$image" >/dev/null 2>&1 && return 0
  install_missing debootstrap
  debootstrap --variant=minbase bookworm "$dir/root" >"$dir/debootstrap.log"
  tar -C "$dir/root" -c . | docker import - "$image" >/dev/null
  rm -rf "$dir/root"
}
