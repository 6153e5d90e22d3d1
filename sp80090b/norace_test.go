//go:build !race

package sp80090b

const raceDetector = false
