package systemd

import (
	"os"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Neither device nor class at boot: the unit starts all the same, and takes the generator when its
// module comes, in the same process: the device filter and the writable part of /sys are there
// already.
func TestLateDevice(t *testing.T) {
	needDevice(t)
	m := newMachine(t)
	m.put("/boot.sh", "") // without the class
	m.put("/etc/hwrngd.toml", "hwrng-select = \"virtio_rng.1\"\nmetrics-listen = [\"unix:/run/hwrngd/metrics.sock\"]\n")
	m.boot()
	m.state("hwrngd.service", "active")
	pid := m.pid()
	if text := m.property("hwrngd.service", "StatusText"); text == "" {
		t.Error("no StatusText")
	}
	m.shell(classFiles("", "virtio_rng.0", "virtio_rng.0 virtio_rng.1"))
	m.run("mknod", "-m", "600", "/dev/hwrng", "c", "10", "183")
	kit.Eventually(t, "the generator is in use", func() bool {
		return m.sample(`hwrngd_source_state{source="hwrng",state="active"}`) == 1
	})
	if current := m.read(classDir + "/rng_current"); current != "virtio_rng.1" {
		t.Errorf("%s is current, not the one that was asked for", current)
	}
	if n := m.property("hwrngd.service", "NRestarts"); n != "0" || m.pid() != pid {
		t.Errorf("restarted %s times, process %s, was %s", n, m.pid(), pid)
	}
	for _, line := range m.journal("_SYSTEMD_UNIT=hwrngd.service", "PRIORITY=3") {
		t.Errorf("an error: %s", line)
	}
}

// Another program has the port of the metrics: the daemon does not care, the socket unit says so, and
// can be started when the port is free.
func TestPortTaken(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.occupy()
	m.boot()
	m.state("hwrngd.service", "active")
	m.state("hwrngd-metrics.socket", "failed")
	m.logged("first credit")
	m.run("systemctl", "stop", "holder.socket")
	m.run("systemctl", "start", "hwrngd-metrics.socket")
	kit.Eventually(t, "metrics at the port", func() bool { return m.sample("hwrngd_ready") == 1 })
}

// The daemon with the machine's network, as the example has it: it binds the port itself, and tries
// again while it is taken (FC-038).
func TestHostNetwork(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	kit.CopyFile(t, tree+"/packaging/systemd/host-network.conf", m.seed+unitDir+"/hwrngd.service.d/host-network.conf", 0o644)
	m.put("/etc/hwrngd.toml", "metrics-listen = [\"127.0.0.1:9779\"]\n")
	m.occupy()
	m.boot()
	m.logged("metrics listener down, retrying", "address already in use")
	m.logged("first credit")
	m.run("systemctl", "stop", "holder.socket")
	kit.Eventually(t, "metrics at the port", func() bool { return m.sample("hwrngd_ready") == 1 })
	if active := m.property("hwrngd-metrics.socket", "ActiveState"); active != "failed" {
		t.Errorf("hwrngd-metrics.socket is %s: was that the daemon?", active)
	}
}

// Without the example, an address in the configuration that needs a network is an error that the
// journal shows, not a port that nobody can reach.
func TestNoNetworkIsSaid(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.put("/etc/hwrngd.toml", "metrics-listen = [\"127.0.0.1:9779\"]\n")
	m.boot()
	m.logged("metrics listener down, retrying", "address family not supported")
	m.logged("first credit")
	if text := strings.Join(m.journal(), "\n"); strings.Contains(text, "metrics listener up") {
		t.Errorf("it listens in a network that nobody can reach:\n%s", text)
	}
}

// The example for node_exporter's textfile collector opens the one directory that it takes, which the
// unit hides otherwise.
func TestTextfile(t *testing.T) {
	t.Parallel()
	const file = "/var/lib/prometheus/node-exporter/hwrngd.prom"
	m := newMachine(t)
	kit.CopyFile(t, tree+"/packaging/systemd/textfile.conf", m.seed+unitDir+"/hwrngd.service.d/textfile.conf", 0o644)
	m.put("/etc/hwrngd.toml", "metrics-listen = [\"off\"]\nmetrics-textfile = \""+file+"\"\n")
	m.onBoot("mkdir -p $root/var/lib/prometheus/node-exporter")
	m.boot()
	kit.Eventually(t, "the file of the metrics", func() bool {
		text, err := os.ReadFile(m.path(file))
		return err == nil && strings.Contains(string(text), "hwrngd_build_info")
	})
	for _, line := range m.journal("_SYSTEMD_UNIT=hwrngd.service", "PRIORITY=3") {
		t.Errorf("an error: %s", line)
	}
}
