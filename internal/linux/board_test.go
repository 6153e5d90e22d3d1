package linux

import "testing"

func TestBoard(t *testing.T) {
	const tree1, vendor, product = "firmware/devicetree/base/model", "class/dmi/id/sys_vendor", "class/dmi/id/product_name"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"device tree", map[string]string{tree1: "Raspberry Pi 4 Model B Rev 1.4\x00", vendor: "other\n"}, "Raspberry Pi 4 Model B Rev 1.4"},
		{"DMI", map[string]string{vendor: "PC Engines\n", product: "apu2\n"}, "PC Engines apu2"},
		{"product only", map[string]string{product: "apu2\n"}, "apu2"},
		{"nothing", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Sysfs(tree(t, tt.files)).Board(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := Sysfs("").Board(); got != "" {
		t.Errorf("without a sysfs: %q", got)
	}
}
