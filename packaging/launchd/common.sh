# shellcheck shell=sh disable=SC2034
# What install and uninstall share: where everything is, and how a step is said and done. POSIX sh, sourced.
label=dev.paddock.node-agent
user=_paddock
programs="paddock paddock-node-agent paddock-sandbox paddock-confine"
helpers="run-node-agent uninstall common.sh"
bin=/usr/local/bin
libexec=/usr/local/libexec/paddock
config=/etc/paddock
state=/var/lib/paddock
data=$state/node-agent
logs=/var/log/paddock
plist=/Library/LaunchDaemons/$label.plist

root=    # what all of these are beneath; empty but for tests
dry_run= # then steps are said and not done
script=${0##*/}
umask 022

fail() {
  echo "$script: $*" >&2
  exit 1
}

# What it does, then the command that does it.
step() {
  echo "$1"
  shift
  if [ -n "$dry_run" ]; then
    echo "  would run: $*"
    return 0
  fi
  "$@" || fail "this did not work: $*"
}

# Sets `root` and `dry_run`; what it does not know is left to the caller's own `option`.
read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --dry-run) dry_run=yes ;;
      --root | --from)
        [ $# -gt 1 ] || fail "$1 needs a folder"
        [ -d "$2" ] || fail "there is no folder $2"
        if [ "$1" = --root ]; then root=$(cd "$2" && pwd -P); else option "$1" "$2"; fi
        shift
        ;;
      *) option "$1" ;;
    esac
    shift
  done
}

check_host() {
  [ "$(uname -s)" = Darwin ] || fail "this is for macOS; docs/install.md says how on Linux"
  [ -n "$dry_run" ] || [ "$(id -u)" = 0 ] || fail "this needs root: sudo $0"
}

refuse_link() {
  [ ! -L "$root$1" ] || fail "$root$1 is a symbolic link; see where it leads, remove it and try again"
}

# A value of our user or group; empty where it has none.
value() { # Users or Groups, key
  dscl . -read "/$1/$user" "$2" 2>/dev/null | sed -n "s/^$2: //p"
}
exists() {
  dscl . -read "/$1/$user" RecordName >/dev/null 2>&1
}

# The number of an account for a service: nothing is done to processes and files of any other.
is_service_id() {
  case $1 in
    '' | *[!0-9]*) return 1 ;;
  esac
  [ "$1" -gt 0 ] && [ "$1" -lt 500 ]
}

loaded() {
  launchctl print "system/$label" >/dev/null 2>&1
}

# bootout comes back, even with an error, while the agent still ends; only the list of services says when it has.
stop_agent() {
  loaded || return 0
  echo "stops the agent; its runs go on"
  if [ -n "$dry_run" ]; then
    echo "  would run: launchctl bootout system/$label"
    return 0
  fi
  launchctl bootout "system/$label" 2>/dev/null || :
  seconds=0
  while loaded; do
    [ "$seconds" -lt 45 ] || fail "the agent did not end; look at: launchctl print system/$label"
    sleep 1
    seconds=$((seconds + 1))
  done
}
