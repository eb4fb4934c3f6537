#!/bin/sh
# Stands in for the commands of macOS that packaging/launchd calls, under their names: each call is written down in
# $HOST/calls, and what a command would change is a file in $HOST.
name=${0##*/}
echo "$name $*" >>"$HOST/calls"

# Whether this may go on: the number in a file, one less each time.
count() { # file, number at first
  left=$2
  [ ! -e "$HOST/$1" ] || read -r left <"$HOST/$1"
  echo $((left - 1)) >"$HOST/$1"
  [ "$left" -gt 0 ]
}

records() { # . verb path [key [value]]
  record=$HOST$3
  case $2:$3 in
    -list:/Users) printf '_other 399\n_spotlight 89\n' ;;
    -list:/Groups) printf '_group 397\nadmin 80\n' ;;
    -create:*)
      [ "$3 $4" != "${DSCL_FAILS:-}" ] || return 40
      mkdir -p "$record" && printf %s "$5" >"$record/$4"
      ;;
    *)
      [ -d "$record" ] || return 56
      if [ "$2" = -delete ]; then
        [ -z "${DELETE_FAILS:-}" ] || return 40
        rm -r "$record"
      elif [ "$4" = RecordName ]; then
        echo "RecordName: ${3##*/}"
      elif [ -e "$record/$4" ]; then
        said=$(cat "$record/$4")
        case $said in
          *' '*) printf '%s:\n %s\n' "$4" "$said" ;;
          *) echo "$4: $said" ;;
        esac
      else
        echo "No such key: $4"
      fi
      ;;
  esac
}

services() {
  if [ "$1" = bootstrap ]; then
    [ ! -e "$HOST/loaded" ] || return 5
    ! count refusals "${BOOTSTRAP_FAILS:-0}" || return 5
    rm "$HOST/refusals"
    touch "$HOST/loaded"
    return 0
  fi
  [ -e "$HOST/loaded" ] || return 113
  if [ "$1" = bootout ]; then
    echo "${BOOTOUT_TAKES:-0}" >"$HOST/going"
    return 36
  fi
  [ -e "$HOST/going" ] || return 0
  ! count going 0 || return 0
  rm "$HOST/going" "$HOST/loaded"
  return 113
}

case $name in
  dscl) records "$@" ;;
  launchctl) services "$@" ;;
  uname) echo "${SYSTEM:-Darwin}" ;;
  id) echo "${EUID_HERE:-0}" ;;
  pgrep) count processes 0 ;;
  sysadminctl) exit 1 ;;
  chown | pkill | sleep) ;;
esac
