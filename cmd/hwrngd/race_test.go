//go:build race && !minimal

package main

const raceDetector = true
