#!/bin/bash
# dracut module: seeds the kernel in the initramfs, for machines that need random numbers before their
# root file system. Only where wanted:
#
#   echo 'add_dracutmodules+=" hwrngd "' >/etc/dracut.conf.d/hwrngd.conf && dracut --force

# dracut's name for "only when asked for".
check() {
	require_binaries hwrngd || return 1
	return 255
}

depends() {
	return 0
}

installkernel() {
	hostonly='' instmods "=drivers/char/hw_random"
	hostonly='' instmods tpm_tis tpm_crb
}

install() {
	inst_multiple hwrngd timeout
	if [[ -e $dracutsysrootdir/etc/hwrngd.toml ]]; then
		inst_simple /etc/hwrngd.toml
	fi
	inst_hook pre-trigger 50 "$moddir/hwrngd-seed.sh"
	inst_hook initqueue/finished 50 "$moddir/hwrngd-seeded.sh"
	dracut_need_initqueue
}
