# What the runs of this folder share; a script sources it after `set -euo pipefail`. Each has a lab, a folder and processes of its own,
# which are gone at its end.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
tool=$(basename "$0")
hearth=${HEARTH:-$here/../hearth}
export LAN_LAB="${tool:0:4}$$"
LAN_LAB=${LAN_LAB//[^a-z0-9]/}
work=
declare -A pids=() # of what runs in the background, by name

die() { echo "$tool: $*" >&2; exit 1; }
lan() { "$here/lan" "$@"; }
now_ms() { date +%s%3N; }
number() { [[ $1 =~ ^[0-9]{1,7}$ ]] || die "$2 must be a number, got '$1'"; }
json_number() { if [ -n "$1" ]; then echo "$1"; else echo null; fi; }
# Prints the last line of a run; fails unless it is good.
verdict() { echo "$1"; [[ $1 == *'"good":true}' ]]; }
# Percent.
share() { awk -v ms="$1" -v of="$2" 'BEGIN { printf "%.1f", 100 * ms / of }'; }

cleanup() {
  local name
  trap - EXIT
  for name in "${!pids[@]}"; do
    { kill -KILL "${pids[$name]}" && wait "${pids[$name]}"; } 2>/dev/null || true
  done
  lan down 2>/dev/null || true
  [ -z "$work" ] || rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

make_work() { work=$(mktemp -d "${TMPDIR:-/tmp}/hearth-$tool.XXXXXX"); }

# An empty home that knows the namespace of $work/first; an identity is made at the first start.
fresh_home() { # host
  rm -rf "$work/home-$1"
  mkdir -m 700 "$work/home-$1"
  cp -p "$work/first/namespace.toml" "$work/home-$1/"
}

# Hearth with the home of a host, for what needs no network.
on() { # host argument...
  local host=$1; shift
  HEARTH_HOME=$work/home-$host "$hearth" "$@"
}

# In the background. The job must be lan itself, which becomes the program: a function would be a shell between, and get the signals.
start() { # name host argument...
  local name=$1 host=$2; shift 2
  "$here/lan" run "$host" -- env HEARTH_HOME="$work/home-$host" HEARTH_LOG=info "$hearth" "$@" \
    >>"$work/$name.out" 2>>"$work/$name.log" &
  pids[$name]=$!
}

stop() { # name
  kill -KILL "${pids[$1]}" 2>/dev/null || true
  wait "${pids[$1]}" 2>/dev/null || true
  unset "pids[$1]"
}

# Views that a log shows since a moment: time in ms, epoch, members, lineage.
views_since() { # milliseconds log
  sed -n -E "s/^([0-9:.]{12}) .* view epoch=([0-9]+) members=([0-9]+) .* lineage=([^ ]+).*/\1 \2 \3 \4/p" "$2" | python3 -c '
import datetime, sys
since = int(sys.argv[1])
start = datetime.datetime.fromtimestamp(since / 1000)
for line in sys.stdin:
    clock, rest = line.split(" ", 1)
    at = datetime.datetime.combine(start.date(), datetime.time.fromisoformat(clock))
    if (start - at).total_seconds() > 43200: at += datetime.timedelta(days=1)
    ms = int(at.timestamp() * 1000)
    if ms >= since: print(ms, rest, end="")' "$1"
}

# When a log shows a view of so many, in milliseconds after a moment; empty if it does not within the seconds.
view_ms() { # since log members seconds
  local until=$(($(now_ms) + $4 * 1000)) at
  while :; do
    at=$(views_since "$1" "$2" | awk -v all="$3" '$3 == all { print $1; exit }')
    [ -z "$at" ] || { echo $((at - $1)); return; }
    [ "$(now_ms)" -lt "$until" ] || return 0
    sleep 0.1
  done
}

# The last event of that name in a file of JSON lines, one of its fields.
field() { # file event key
  python3 -c '
import json, sys
for line in open(sys.argv[1]):
    if line.startswith("{"):
        data = json.loads(line)
        if data.get("event") == sys.argv[2]:
            found = data.get(sys.argv[3])
            print(json.dumps(found) if isinstance(found, bool) else found)' "$1" "$2" "$3" | tail -n 1
}

await_event() { # file event seconds
  local until=$(($(now_ms) + $3 * 1000))
  until grep -q "\"event\":\"$2\"" "$1" 2>/dev/null; do
    [ "$(now_ms)" -lt "$until" ] || die "no $2 within $3 s in $1: $(tail -n 3 "$1" "${1%.out}.log" 2>/dev/null)"
    sleep 0.02
  done
}
