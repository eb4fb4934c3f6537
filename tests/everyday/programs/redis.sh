# Redis: a server for a test that saves in the background, by localhost.
# run: bash redis.sh
# needs: redis-server redis-tools
# loopback
set -e
redis-server --port 16379 --bind 127.0.0.1 ::1 --dir /tmp --save '' > /tmp/log &
until redis-cli -p 16379 ping 2> /dev/null | grep -q PONG; do sleep 0.05; done
redis-cli -p 16379 set key value > /dev/null
[ "$(redis-cli -h localhost -p 16379 get key)" = value ]
redis-cli -p 16379 bgsave > /dev/null
until redis-cli -p 16379 info persistence | grep -q 'rdb_bgsave_in_progress:0'; do sleep 0.05; done
[ -s /tmp/dump.rdb ]
redis-cli -p 16379 shutdown nosave
wait
echo ok
