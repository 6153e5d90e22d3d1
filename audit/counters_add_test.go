package audit

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// added adds two values as Counters are documented to add up, by their types alone.
func added(t *testing.T, name string, sum, a, b reflect.Value, blocksA, blocksB int64) {
	switch {
	case name == "Ever":
		for i := range a.Len() {
			sum.Index(i).SetUint(a.Index(i).Uint() | b.Index(i).Uint())
		}
	case name == "Always" && blocksA == 0:
		sum.Set(b)
	case name == "Always" && blocksB == 0:
		sum.Set(a)
	case name == "Always":
		for i := range a.Len() {
			sum.Index(i).SetUint(a.Index(i).Uint() & b.Index(i).Uint())
		}
	case a.Kind() == reflect.Struct:
		for i := range a.NumField() {
			added(t, a.Type().Field(i).Name, sum.Field(i), a.Field(i), b.Field(i), blocksA, blocksB)
		}
	case a.Kind() == reflect.Array:
		for i := range a.Len() {
			added(t, "", sum.Index(i), a.Index(i), b.Index(i), blocksA, blocksB)
		}
	case a.Kind() == reflect.Int64:
		sum.SetInt(a.Int() + b.Int())
	case a.Kind() == reflect.Int: // the longest and the most
		sum.SetInt(max(a.Int(), b.Int()))
	default:
		t.Fatalf("%s: no way to add a %s", name, a.Type())
	}
}

// randomly sets all numbers in v.
func randomly(rng *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			randomly(rng, v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			randomly(rng, v.Index(i))
		}
	case reflect.Uint8:
		v.SetUint(rng.Uint64N(256))
	default:
		v.SetInt(1 + rng.Int64N(1<<30))
	}
}

func TestCountersAdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	any := func() (c Counters) {
		randomly(rng, reflect.ValueOf(&c).Elem())
		return c
	}
	for name, pair := range map[string][2]Counters{
		"any":           {any(), any()},
		"nothing first": {{}, any()},
		"nothing added": {any(), {}},
		"no blocks":     {{Bytes: 3}, measure(good(1, 2)).Counters},
		"added none":    {measure(good(1, 2)).Counters, {Bytes: 2503}},
		"nothing":       {},
		"runs":          {measure(good(1, 3)).Counters, measure(make([]byte, 9999)).Counters},
	} {
		var want Counters
		added(t, "", reflect.ValueOf(&want).Elem(), reflect.ValueOf(pair[0]), reflect.ValueOf(pair[1]), pair[0].Blocks, pair[1].Blocks)
		got := pair[0]
		got.Add(&pair[1])
		if got != want {
			t.Errorf("%s: %s; want %s", name, brief(got), brief(want))
		}
	}
}
