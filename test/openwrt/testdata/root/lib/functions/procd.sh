# Stand-in for OpenWrt's /lib/functions/procd.sh. It keeps each call, with its words as they were; the
# test makes the message for procd of them.

record() {
	for word in "$@"; do printf '%s\037' "$word"; done >>/tmp/calls
	printf '\036' >>/tmp/calls
}

for call in open_instance close_instance set_param add_jail add_jail_mount add_jail_mount_rw add_reload_trigger; do
	eval "procd_$call() { record $call \"\$@\"; }"
done
