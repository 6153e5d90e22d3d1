package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCheckRivals(t *testing.T) {
	const etc = "proc/self/root/etc/"
	for _, tt := range []struct {
		name  string
		files map[string]string
		links map[string]string // path to target
		want  [][3]string
	}{
		{"none", map[string]string{"proc/1/cmdline": "/sbin/init\x00", "proc/2/cmdline": "", "proc/x/cmdline": "rngd\x00"}, nil, nil},
		{
			"running",
			map[string]string{"proc/31/cmdline": "/usr/sbin/haveged\x00--Foreground\x00", "proc/32/cmdline": "jitterentropy-rngd\x00"},
			nil,
			[][3]string{{"warning", "haveged runs as process 31", "stop one"}, {"warning", "jitterentropy-rngd runs as process 32", "stop one"}},
		},
		{"kernel thread", map[string]string{"proc/31/cmdline": "", "proc/31/comm": "rngd\n"}, nil, nil},
		{"other programs", map[string]string{"proc/31/cmdline": "vim\x00/usr/sbin/rngd\x00", "proc/32/cmdline": "hwrngd\x00run\x00"}, nil, nil},
		{
			"the recipe, running",
			map[string]string{"proc/31/cmdline": "/usr/sbin/rngd\x00-r\x00/dev/urandom\x00"},
			nil,
			[][3]string{{"warning", "rngd runs as process 31, fed by the kernel's own /dev/urandom", "own output"}},
		},
		{
			"the recipe in one word",
			map[string]string{"proc/31/cmdline": "rngd\x00-f\x00-r/dev/random\x00"},
			nil,
			[][3]string{{"warning", "fed by the kernel's own -r/dev/random", "own output"}},
		},
		{
			"the sink is no recipe",
			map[string]string{"proc/31/cmdline": "rngd\x00-o\x00/dev/random\x00-r\x00/dev/hwrng\x00"},
			nil,
			[][3]string{{"warning", "rngd runs as process 31", "stop one"}},
		},
		{
			"enabled",
			map[string]string{"proc/self/root/usr/lib/systemd/system/rngd.service": "", etc + "init.d/haveged": ""},
			map[string]string{
				etc + "systemd/system/multi-user.target.wants/rngd.service": "/usr/lib/systemd/system/rngd.service",
				etc + "rc2.d/S01haveged":                                    "../init.d/haveged",
			},
			[][3]string{{"warning", "the service rngd is enabled", "disable it"}, {"warning", "the service haveged is enabled", "disable it"}},
		},
		{
			"removed but not purged",
			map[string]string{etc + "systemd/system/sysinit.target.wants/": ""},
			map[string]string{etc + "systemd/system/sysinit.target.wants/haveged.service": "/lib/systemd/system/haveged.service"},
			nil,
		},
		{
			"the recipe of old guides",
			map[string]string{
				etc + "default/rng-tools-debian":                 "# HRNGDEVICE=/dev/urandom\nHRNGDEVICE=/dev/urandom\n",
				etc + "systemd/system/rngd.service.d/local.conf": "[Service]\nExecStart=\nExecStart=/usr/sbin/rngd -f -r /dev/urandom\n",
				etc + "sysconfig/rngd":                           "RNGD_ARGS=\"-x pkcs11\"\n",
			},
			nil,
			[][3]string{
				{"warning", "/etc/default/rng-tools-debian:2 makes /dev/urandom the source of rngd", "own output"},
				{"warning", "/etc/systemd/system/rngd.service.d/local.conf:3 makes /dev/urandom the source", "own output"},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, cfg := bench(t, tt.files)
			for link, target := range tt.links {
				path := filepath.Join(dir, link)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(target, path); err != nil {
					t.Fatal(err)
				}
			}
			check(t, checkRivals(cfg), exitOK, tt.want...)
		})
	}
}
