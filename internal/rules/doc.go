// Package rules holds no code, only the test that asserts which package may import which.
package rules
