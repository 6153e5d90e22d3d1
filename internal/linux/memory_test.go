package linux

import "testing"

func TestMapMemory(t *testing.T) {
	m, err := MapMemory(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m {
		if m[i] != 0 {
			t.Fatalf("byte %d is %d", i, m[i])
		}
		m[i] = byte(i)
	}
	if err := UnmapMemory(m); err != nil {
		t.Error(err)
	}
	if err := UnmapMemory(m); err == nil {
		t.Error("unmapped twice")
	}
	if m, err := MapMemory(0); err == nil {
		t.Errorf("mapped %d bytes", len(m))
	}
}
