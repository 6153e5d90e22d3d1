//go:build race

package audit

const race = true
