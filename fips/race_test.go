//go:build race

package fips

const race = true
