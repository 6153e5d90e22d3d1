//go:build race

package repeat

const race = true
