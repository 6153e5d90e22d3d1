#!/bin/bash
# Boots a systemd of its own over this machine's root file system, in namespaces: its own processes,
# mounts, network, host name and cgroup. What it writes goes to memory and is gone with it.
#
#   machine.sh CGROUP WORKDIR SEED      SEED is copied over the root before systemd starts
#
# Its /sys shows a hw_random class of plain files. The kernel's own, which all namespaces share, is
# out of reach: no test may change the generator of the machine that it runs on.
set -eu
cgroup=$1 workdir=$2 seed=$3

mkdir -p "$cgroup"
echo $$ >"$cgroup/cgroup.procs"

# shellcheck disable=SC2016 # expanded inside
exec unshare --mount --uts --ipc --pid --net --cgroup --fork --kill-child --propagation private -- /bin/bash -euc '
workdir=$0 seed=$1
mount -t tmpfs -o mode=755 tmpfs "$workdir"
mkdir "$workdir/upper" "$workdir/work" "$workdir/root"
root=$workdir/root
mount -t overlay -o "lowerdir=/,upperdir=$workdir/upper,workdir=$workdir/work" overlay "$root"

# Of what is enabled on the machine, nothing starts here.
rm -rf "$root/etc/systemd/system" "$root/etc/systemd/system.conf.d"
rm -rf "$root/var/log/journal" "$root/usr/sbin/policy-rc.d"
: >"$root/etc/fstab"
cp -a "$seed/." "$root/"

# What is not of these namespaces alone cannot be changed from within.
mount -t proc proc "$root/proc"
mount --bind -o ro "$root/proc/sys" "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/sys/devices/virtual/misc"

mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/zero" c 1 5
mknod -m 666 "$root/dev/full" c 1 7
mknod -m 666 "$root/dev/random" c 1 8
mknod -m 666 "$root/dev/urandom" c 1 9
mknod -m 666 "$root/dev/tty" c 5 0
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"

mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
if [ -e "$seed/boot.sh" ]; then . "$seed/boot.sh"; fi

rm -f "$root/etc/machine-id"
: >"$root/etc/machine-id"
hostname hwrngd-test
cd "$root"
mkdir -p .old
pivot_root . .old
umount -l /.old
exec env -i container=hwrngd-test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
	/lib/systemd/systemd --unit=hwrngd-test.target --log-target=journal --show-status=0
' "$workdir" "$seed"
