# Read by fake-lmutil and fake-rlmutil: plays a tool with the files of a folder.
#
# The folder is FAKE_LICENSE_SITE, or `site` beside this file. KEY is the argument of -c, for example 27000@host.
#
#   KEY.txt       what the tool prints; KEY.i.txt for `lmstat -i`, KEY.NAME.txt for `-S NAME` or `-i NAME`, if it exists
#   KEY.stderr    what it prints to stderr
#   KEY.exit      its exit code
#   KEY.delay     seconds before it prints
#   KEY.mode      one word: see `play`
#   KEY.calls     is written: one line with the arguments for each call
#
# A list of servers has the files of the list, or else those of its first server.

LC_ALL=C
export LC_ALL
ulimit -c 0

site=${FAKE_LICENSE_SITE:-${0%/*}/site}

# Sets `key` from the argument of -c.
choose_key() {
  key=$1
  case $key in */*) key=${key##*/} ;; esac
  if [ ! -e "$site/$key.txt" ] && [ ! -e "$site/$key.mode" ]; then key=${key%%[,:]*}; fi
}

# Prints a setting of the server, or its default.
setting() {
  if [ -r "$site/$key.$1" ]; then read -r value < "$site/$key.$1" || :; else value=$2; fi
}

# Prints the text of the server. $1: the middle of the name of a narrower text, empty without one.
print_text() {
  text=$site/$key.txt
  if [ -n "$1" ] && [ -r "$site/$key.$1.txt" ]; then text=$site/$key.$1.txt; fi
  [ -r "$text" ] || return 1
  cat "$text"
}

finish() {
  setting exit "$1"
  exit "$value"
}

# Plays the modes that are the same for all tools, and returns for others.
play_common_mode() {
  case $1 in
    # SIGTERM has no effect, on this process and on those that it starts
    hang) trap '' TERM INT HUP; while :; do sleep 1; done ;;
    # it is gone, but a process that it started holds the pipes
    orphan) (trap '' TERM HUP; sleep 30) & exit 0 ;;
    # it never stops printing
    flood) while :; do print_text '' || echo flood; done ;;
    garbage) printf 'Segmentation fault \001\377 (core dumped)\n<html>\n'; finish 0 ;;
    empty) finish 0 ;;
    # the whole text, then a failure without a word
    crash) print_text "$2"; kill -SEGV $$ ;;
    # half of the text
    cut) print_text "$2" | head -c "$(($(print_text "$2" | wc -c) / 2))"; finish 0 ;;
  esac
}

# $1: the middle of the name of a narrower text
play() {
  echo "$arguments" >> "$site/$key.calls" 2>/dev/null || :
  setting delay 0
  if [ "$value" != 0 ]; then sleep "$value"; fi
  if [ -r "$site/$key.stderr" ]; then cat "$site/$key.stderr" >&2; fi
  setting mode ok
  mode=$value
  play_common_mode "$mode" "$1"
  play_mode "$mode" "$1"
}
