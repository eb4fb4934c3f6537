# The usual questions about a machine: memory, processes, disks, processors, a terminal.
# run: bash facts.sh
# needs: procps
set -e
free -b | head -1 >/dev/null; ps aux >/dev/null; df -h . >/dev/null 2>&1; uptime >/dev/null; lscpu >/dev/null
grep -c processor /proc/cpuinfo; grep MemTotal /proc/meminfo; cat /proc/sys/kernel/random/uuid >/dev/null; nproc
python3 -c 'import pty; pty.openpty()'
echo ok
