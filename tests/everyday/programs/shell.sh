# What shell scripts do: pipes, named pipes, background jobs, redirections, temporary files.
# run: bash shell.sh
set -euo pipefail
folder=$(mktemp -d)
mkfifo "$folder/pipe"
(echo through-the-pipe > "$folder/pipe") &
read -r line < "$folder/pipe"; wait
[ "$line" = through-the-pipe ]
coproc CAT { cat; }
echo coprocess >&"${CAT[1]}"; read -r line <&"${CAT[0]}"; [ "$line" = coprocess ]
seq 1000 | xargs -P 4 -n 100 echo | wc -w | grep -qx 1000
find /usr/bin -maxdepth 1 -name 'ba*' -print0 | xargs -0 ls > /dev/null
sleep 100 & kill $!; wait $! || [ $? = 143 ]
exec 3> "$folder/three"; echo three >&3; exec 3>&-; grep -q three "$folder/three"
[ "$(date -d @0 -u +%Y)" = 1970 ]; [ "$(TZ=Asia/Tokyo date -d @0 +%H)" = 09 ]
timeout 5 true; : "${HOME:?}" "${PATH:?}"; cd ~; id > /dev/null; getconf _NPROCESSORS_ONLN > /dev/null
echo ok
