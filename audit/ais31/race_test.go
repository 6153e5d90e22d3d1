//go:build race

package ais31

const race = true
