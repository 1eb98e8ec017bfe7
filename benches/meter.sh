#!/usr/bin/env bash
# Counts the instructions of each piece of work, and fails when one takes more than 3 % more than
# benches/record/instructions.tsv says. With --record it writes that file anew.
#
# Counts are nearly the same on every run of one binary, whatever else the machine does: only hash maps differ,
# so the least of three counts, and a thousand more are let pass. Another compiler or another processor counts
# otherwise: then the record does not apply, and this says so and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

record=benches/record/instructions.tsv
command -v valgrind >/dev/null || { echo "meter: valgrind is not installed" >&2; exit 2; }

meter=$(cargo bench --locked --bench meter --no-run --message-format=json 2>/dev/null |
  sed -n 's/.*"executable":"\([^"]*\/meter-[^"]*\)".*/\1/p' | tail -1)
[[ -x $meter ]] || { echo "meter: the bench does not build" >&2; exit 2; }

grep -qw avx2 /proc/cpuinfo && vectors=avx2 || vectors=sse2
machine="# $(rustc --version), $(uname -m) with $vectors"

count() {
  for _ in 1 2 3; do
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
      --toggle-collect='*meter*measured*' "$meter" "$1" 2>&1 |
      sed -n 's/.*Collected : //p'
  done | sort -n | head -1
}

if [[ ${1-} == --record ]]; then
  { echo "$machine"; echo $'work\tinstructions'; } >"$record.new"
elif [[ $(head -1 "$record") != "$machine" ]]; then
  echo "meter: the record was made elsewhere" >&2
  printf 'meter: recorded: %s\nmeter: here:     %s\n' "$(head -1 "$record")" "$machine" >&2
  exit 2
fi

failed=0
while IFS=$'\t' read -r work _; do
  [[ $work == floor/* ]] && continue
  now=$(count "$work")
  [[ $now -gt 0 ]] || { echo "meter: no count for $work" >&2; exit 2; }
  if [[ ${1-} == --record ]]; then
    printf '%s\t%s\n' "$work" "$now" | tee -a "$record.new"
    continue
  fi
  was=$(awk -F'\t' -v work="$work" '$1 == work { print $2 }' "$record")
  [[ -n $was ]] || { echo "meter: $work is not on record" >&2; exit 2; }
  verdict=ok
  if ((now * 100 > was * 103 + 100000)); then
    verdict='MORE THAN 3 % OVER'
    failed=1
  fi
  printf '%s\t%s\t(on record %s)\t%s\n' "$work" "$now" "$was" "$verdict"
done < <("$meter")

[[ ${1-} != --record ]] || mv "$record.new" "$record"
exit $failed
