#!/bin/bash
# Blocks the cards of cards.csv in four tasks of a Slurm job array: sbatch slurm-array.sh
# A task that is preempted, or whose node is lost, is put back into the queue and resumes where it stopped.
#
# What it costs:
# - FRONTDESK_STATE_DIR must be on a file system that all nodes share. It holds the IDs and reasons of the input.
# - A task that starts again on another node cannot ask whether the one before still lives: it watches for a sign of
#   life for 60 s before it takes over.
# - Slurm does not start a task again that exited by itself. After 7 (the service was away), or 15 with rows that were not
#   sent, submit it again: finished tasks print their results and send nothing.
#
#SBATCH --job-name=block-cards
#SBATCH --array=1-4
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# A minute before its time is up the task stops in order. The next submission sends the rows that are left.
#SBATCH --signal=B:TERM@60
set -eu
export FRONTDESK_STATE_DIR="${FRONTDESK_STATE_DIR:-$HOME/frontdesk-state}"
export FRONTDESK_CARDS_URL="${FRONTDESK_CARDS_URL:-https://cards.example.com}"
# A file that only you can read. With exec frontdesk gets the signal.
FRONTDESK_CARDS_TOKEN="$(cat "$HOME/.cards-token")"
export FRONTDESK_CARDS_TOKEN
exec frontdesk card block --from cards.csv --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
  --run "block-$SLURM_ARRAY_TASK_ID" --reconcile --yes -o ndjson > "results-$SLURM_ARRAY_TASK_ID.ndjson"
