# PostgreSQL: a server for a test, by localhost and by its Unix socket.
# run: bash postgres.sh
# needs: postgresql
# loopback
# limits: {memory: 2Gi, cpuTime: 60s, pids: 128, openFiles: 4096, fsBytes: 1Gi, fileSize: 512Mi}
set -e
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
initdb -D /tmp/data -A trust > /dev/null
pg_ctl -D /tmp/data -w -l /tmp/log -o '-k /tmp -p 15432' start > /dev/null || { cat /tmp/log; exit 1; }
psql -q -h localhost -p 15432 -d postgres -c 'create table t as select generate_series(1, 10000) as x'
[ "$(psql -h /tmp -p 15432 -d postgres -Atc 'select sum(x) from t')" = 50005000 ]
pg_ctl -D /tmp/data -m fast -w stop > /dev/null
echo ok
