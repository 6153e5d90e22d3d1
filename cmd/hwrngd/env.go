package main

import (
	"fmt"
	"strings"
)

// envPrefix starts the name of each of our environment variables.
const envPrefix = "HWRNGD_"

// lookupEnv finds a variable. One that is set to nothing counts as not set:
// service managers and container tools cannot always leave one out.
func lookupEnv(environ []string, name string) (string, bool) {
	for _, entry := range environ {
		if key, text, _ := strings.Cut(entry, "="); key == name && text != "" {
			return text, true
		}
	}
	return "", false
}

// applyEnviron sets the options for which there is an environment variable.
func (c *Config) applyEnviron(environ []string) problems {
	var found problems
	for i := range options {
		o := &options[i]
		text, ok := lookupEnv(environ, o.envName())
		if !ok {
			continue
		}
		if err := c.apply(o, o.split(text), o.envName()); err != nil {
			found = append(found, fmt.Errorf("%s: %w", o.envName(), err))
		}
	}
	c.warnUnknownEnv(environ)
	return found
}

// warnUnknownEnv looks for variables that are probably misspelt. They are no
// error, because other programs make such names too: Kubernetes sets
// HWRNGD_PORT in every container beside a service called hwrngd.
func (c *Config) warnUnknownEnv(environ []string) {
	var known []string
	for i := range options {
		known = append(known, strings.TrimPrefix(options[i].envName(), envPrefix))
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		name, ours := strings.CutPrefix(name, envPrefix)
		if near := nearest(name, known); ours && near != "" && near != name {
			c.Warnings = append(c.Warnings, fmt.Sprintf("environment variable %q is not known and has no effect, did you mean %q?",
				envPrefix+name, envPrefix+near))
		}
	}
}

// applyFlags sets the options that the command line gives.
func (c *Config) applyFlags(flags map[string][]string) problems {
	var found problems
	for i := range options {
		o := &options[i]
		words, ok := flags[o.Name]
		if !ok {
			continue
		}
		if err := c.apply(o, words, "--"+o.Name); err != nil {
			found = append(found, fmt.Errorf("--%s: %w", o.Name, err))
		}
	}
	return found
}
