#!/bin/busybox sh
# The guest's first process. A root made from an initramfs cannot be pivoted away from, which the
# sandbox does: so everything moves to a tmpfs first.
if [ "$1" != moved ]; then
  /bin/busybox mount -t tmpfs -o mode=0755 root /new
  /bin/busybox cp -a /bin /etc /init /lib /lib64 /opt /sbin /usr /new
  /bin/busybox mkdir -p /new/dev /new/proc /new/run /new/sys /new/tmp
  exec /bin/busybox switch_root /new /init moved
fi
export PATH=/usr/sbin:/usr/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 tmp /dev/shm
insmod /opt/brd.ko rd_nr=1 rd_size=262144
insmod /opt/quota_tree.ko
insmod /opt/quota_v2.ko
mkfs.ext4 -qF -O quota,project,^has_journal -E quotatype=prjquota /dev/ram0 && mount -t ext4 -o prjquota /dev/ram0 /tmp && chmod 1777 /tmp
cp -a /opt/paddock /tmp/built  # where the tests make hard links instead of copies
mount -t tracefs trace /sys/kernel/tracing
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up
echo "kernel $(uname -r), controllers: $(cat /sys/fs/cgroup/cgroup.controllers)"

while sleep 5; do echo PADDOCK-VM-ALIVE; done &  # see run.py
alive=$!

# What a service manager does for an agent: a cgroup of its own, with the agent below it.
cd /sys/fs/cgroup || poweroff -f
echo '+memory +pids +cpu' >cgroup.subtree_control
mkdir -p agent/main
chown 65534 agent agent/cgroup.procs agent/cgroup.subtree_control
cd /

export PADDOCK_BIN_DIR=/tmp/built/bin PADDOCK_VM=1
status=0
run_suite() { # program, tests
  (echo 0 >/sys/fs/cgroup/agent/main/cgroup.procs && exec "/tmp/built/tests/$1" --gtest_filter="$2") || status=1
}
. /opt/paddock/suites.sh
kill $alive  # nothing is said in the middle of the last line
echo "PADDOCK-VM-EXIT:$status"
poweroff -f
