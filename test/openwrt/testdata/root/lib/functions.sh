# Stand-in for OpenWrt's /lib/functions.sh: what the package's scripts use of it. The variables of a
# configuration come from the stand-in for uci.

config_load() {
	eval "$(uci -q shell "$1")"
}

# config_get VARIABLE SECTION OPTION [DEFAULT]
config_get() {
	eval "$1=\"\${CONFIG_$2_$3:-\$4}\""
}
