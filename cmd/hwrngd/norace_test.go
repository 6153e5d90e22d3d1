//go:build !race && !minimal

package main

// raceDetector is on where counting a thousand blocks takes seconds.
const raceDetector = false
