package qemu

import (
	"encoding/json"
	"path/filepath"
)

// Unplug pulls a generator out of its slot and waits until the guest has let go of it.
func (m *Machine) Unplug(name string) error {
	if err := m.QMP.Do("device_del", map[string]any{"id": name}, nil); err != nil {
		return err
	}
	return m.QMP.Event("DEVICE_DELETED", func(data json.RawMessage) bool {
		var deleted struct{ Device string }
		return json.Unmarshal(data, &deleted) == nil && deleted.Device == name
	})
}

// Plug puts a generator that was pulled back into its slot.
func (m *Machine) Plug(name string) error {
	return m.QMP.Do("device_add", map[string]any{
		"driver": architectures[m.config.Arch].device, "id": name, "rng": name + "-rng", "bus": name + "-slot",
	}, nil)
}

// store is the disk image that holds snapshots. The guest does not see it.
const store = "snapshots"

// Snapshots tells whether a machine can live on from one.
func (m *Machine) Snapshots() bool { return !architectures[m.config.Arch].timeless }

// Save takes a snapshot of the whole machine. The machine goes on.
func (m *Machine) Save(tag string) error {
	if err := m.makeStore(); err != nil {
		return err
	}
	return m.QMP.job("snapshot-save", map[string]any{"tag": tag, "vmstate": store, "devices": []string{store}})
}

// Restore turns the machine back to a snapshot, and lets it live on from there.
func (m *Machine) Restore(tag string) error {
	if err := m.QMP.Do("stop", nil, nil); err != nil {
		return err
	}
	if err := m.QMP.job("snapshot-load", map[string]any{"tag": tag, "vmstate": store, "devices": []string{store}}); err != nil {
		return err
	}
	return m.QMP.Do("cont", nil, nil)
}

// makeStore makes the disk image for snapshots, once.
func (m *Machine) makeStore() error {
	var nodes []struct {
		Name string `json:"node-name"`
	}
	if err := m.QMP.Do("query-named-block-nodes", map[string]any{"flat": true}, &nodes); err != nil {
		return err
	}
	for _, n := range nodes {
		if n.Name == store {
			return nil
		}
	}
	path := filepath.Join(m.config.Dir, store)
	file := map[string]any{"driver": "file", "node-name": "file", "filename": path}
	if err := m.QMP.job("blockdev-create", map[string]any{"options": map[string]any{"driver": "file", "filename": path, "size": 0}}); err != nil {
		return err
	}
	if err := m.QMP.Do("blockdev-add", file, nil); err != nil {
		return err
	}
	if err := m.QMP.job("blockdev-create", map[string]any{"options": map[string]any{"driver": "qcow2", "file": "file", "size": 1 << 20}}); err != nil {
		return err
	}
	return m.QMP.Do("blockdev-add", map[string]any{"driver": "qcow2", "node-name": store, "file": "file"}, nil)
}
