//go:build race

package linux

const raceDetector = true
