# Sourced by ./run, ./check and docker/test.sh: Debian packages and quiet
# builds. Defines names only; does nothing by itself.
# shellcheck shell=bash

# What it takes to build the programs, and what it takes to test them.
run_packages=(
  cmake ninja-build g++ pkg-config libeigen3-dev libgrpc++-dev
  protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libabsl-dev
  zlib1g-dev libssl-dev libcurl4-openssl-dev nlohmann-json3-dev libcli11-dev
  libisal-dev libjpeg62-turbo-dev libpng-dev
)
# shellcheck disable=SC2034
wheel_packages=(python3 python3-venv)
# ccache only makes the second build faster; qemu-user plays an older CPU; clang
# reads the sources, but compiles nothing.
# shellcheck disable=SC2034
check_packages=(
  "${run_packages[@]}" libgtest-dev libgmock-dev libbenchmark-dev binutils
  libcpp-httplib-dev prometheus-cpp-dev
  ccache qemu-user clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14 git lld python3
  python3-numpy python3-pandas python3-prometheus-client shellcheck
)

# hold_tree ROOT: one command at a time builds in this tree. Whoever waits says for whom,
# and gives up after an hour. The lock ends with the command, however it ends.
hold_tree() {
  local root=$1
  local lock=$root/build/.lock holder
  mkdir -p "$root/build"
  exec {tree_lock}>>"$lock"
  if ! flock -n "$tree_lock"; then
    holder=$(tail -n 1 "$lock")
    echo "waiting up to 60 min for ${holder:-another command}, which builds in" \
      "this tree" >&2
    if ! flock -w 3600 "$tree_lock"; then
      echo "error: ${holder:-another command} still builds in this tree after" \
        "60 min; end it, or use another clone" >&2
      return 1
    fi
  fi
  echo "$0 (process $$, since $(date +%H:%M:%S))" >"$lock"
}

let_tree_go() { exec {tree_lock}>&-; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "error: installing packages needs root or sudo: $*" >&2
    return 1
  fi
}

# note TEXT: one line that the next one overwrites; on terminals only.
note() {
  if [ -t 2 ]; then printf '\r\033[K%s' "$1" >&2; fi
}

# far WHAT: how far a command is: the note on a terminal; in a log a line every 30 s.
told=0
far() {
  note "$1"
  if [ ! -t 2 ] && [ $((SECONDS - told)) -ge 30 ]; then
    echo "$1" >&2
    told=$SECONDS
  fi
}

# quietly WHAT COMMAND...: output is shown only when the command fails, beside how far
# ninja is.
quietly() {
  local what=$1 log
  shift
  log=$(mktemp)
  note "$what ..."
  told=$SECONDS
  if ! "$@" 2>&1 | while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    case $line in "["[0-9]*"]"*) far "$what ${line%%]*}]" ;; esac
  done; then
    note ""
    cat "$log" >&2
    echo "error: $what failed (${*:1:3} ...)" >&2
    rm -f "$log"
    return 1
  fi
  note ""
  rm -f "$log"
}

# install_missing PACKAGE...: from Debian, and only what is not there. Where
# there is no dpkg, what is missing shows when CMake looks for it.
install_missing() {
  command -v dpkg-query >/dev/null || return 0
  local installed missing=() package
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" \
    2>/dev/null) || true
  for package in "$@"; do
    case $'\n'$installed$'\n' in
      *$'\n'"installed $package"$'\n'*) ;;
      *) missing+=("$package") ;;
    esac
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing ${#missing[@]} packages: ${missing[*]}" >&2
  quietly "reading package lists" as_root apt-get update -qq
  quietly "installing packages" as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}"
}
