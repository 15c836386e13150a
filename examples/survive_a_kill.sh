#!/usr/bin/env bash
# Kills a host of a running pod: the job goes on from its last checkpoint and ends with
# the same weights as an undisturbed run.
#
#   examples/survive_a_kill.sh        needs podsim's programs on PATH
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
job=(pod_launch --topology v3-32 --train_steps 4000 --reference_topology v3-32
  --checkpoint_every 500 --max_restarts 2)

hash_of() { sed -n 's/^  weights hash *//p' "$1"; }

"${job[@]}" --model_dir "$work/undisturbed" >"$work/undisturbed.log"
echo "undisturbed:      $(hash_of "$work/undisturbed.log")"

"${job[@]}" --model_dir "$work/killed" >"$work/killed.log" &
launcher=$!
# The first checkpoint is there when its directory has a name of digits.
until [ -e "$work/killed/500" ]; do
  kill -0 "$launcher"
  sleep 0.05
done
# Its one line does not end.
read -ra children <"/proc/$launcher/task/$launcher/children" || true
for child in "${children[@]}"; do
  if [ "$(cat "/proc/$child/comm")" = pod_host ]; then host=$child; fi
done
kill -9 "$host"
echo "killed a host process (pid $host) after the first checkpoint"
wait "$launcher"
echo "with the restart: $(hash_of "$work/killed.log")"
cmp <(hash_of "$work/undisturbed.log") <(hash_of "$work/killed.log")
