#!/bin/bash
# Blocks the cards of cards.csv in four processes of GNU parallel: bash gnu-parallel.sh
# Run it again, whatever happened: finished shards send nothing, the others resume where they stopped.
# TERM comes first, and rows in flight have ten seconds; the default of parallel is KILL after 350 ms.
exec parallel --jobs 4 --termseq TERM,10000,KILL 'frontdesk card block --from cards.csv --shard {}/4 --run block-{} --reconcile --yes -o ndjson > results-{}.ndjson' ::: 1 2 3 4
