# Programs that drive others at a terminal: tmux, expect, script.
# run: bash screens.sh
# needs: tmux expect
# limits: {pids: 64}
set -e
tmux -L mine new-session -d 'tty > shown; tmux -L mine wait-for -S written; cat'
tmux -L mine wait-for written
grep -q /dev/pts/ shown
tmux -L mine send-keys 'as typed' Enter
until tmux -L mine capture-pane -p | grep -q 'as typed'; do sleep 0.1; done
tmux -L mine kill-server
expect -c 'spawn sh; send "echo \$((6 * 7))\r"; expect "\n42"; send "exit 3\r"; expect eof; exit [lindex [wait] 3]' > talk || test $? = 3
grep -q 42 talk
script --quiet --return --command 'test -t 1 && echo at a terminal' /dev/null | grep -q 'at a terminal'
echo ok
