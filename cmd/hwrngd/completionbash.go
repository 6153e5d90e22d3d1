//go:build !minimal

package main

import (
	"bytes"
	"fmt"
	"strings"
)

// bashCompletion writes the script for bash.
func bashCompletion(b *bytes.Buffer, table []completedCommand) {
	b.WriteString(`# bash completion of hwrngd, made by 'hwrngd completion bash'

_hwrngd() {
	local cur=${COMP_WORDS[COMP_CWORD]} option='' command=run
	COMPREPLY=()
	# bash makes three words of --option=value.
	if [[ $cur == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 1]} cur=''
	elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -* ]]; then
		option=${COMP_WORDS[COMP_CWORD - 1]}
	fi
	if ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} != -* ]]; then
		command=${COMP_WORDS[1]}
	fi
	case $command:$option in
`)
	for _, c := range table {
		for _, f := range c.flags {
			if f.takes() {
				fmt.Fprintf(b, "\t%s) %sreturn ;;\n", bashPattern(c.name, f), bashReply(f.values))
			}
		}
	}
	b.WriteString("\tesac\n\tif [[ $cur == -* ]]; then\n\t\tcase $command in\n")
	for _, c := range table {
		var flags []string
		for _, f := range c.flags {
			flags = append(flags, "--"+f.long)
		}
		fmt.Fprintf(b, "\t\t%s) mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\") ;;\n", c.name, strings.Join(flags, " "))
	}
	var names []string
	for _, c := range table {
		names = append(names, c.name)
	}
	fmt.Fprintf(b, "\t\tesac\n\t\treturn\n\tfi\n\tif ((COMP_CWORD == 1)); then\n\t\tmapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n\t\treturn\n\tfi\n\tcase $command in\n", strings.Join(names, " "))
	for _, c := range table {
		if reply := bashReply(c.values); reply != "" {
			fmt.Fprintf(b, "\t%s) %s;;\n", c.name, reply)
		}
	}
	b.WriteString("\tesac\n}\ncomplete -F _hwrngd hwrngd\n")
}

// bashPattern matches an option of a command in either form.
func bashPattern(command string, f completedFlag) string {
	pattern := command + ":--" + f.long
	if f.short != "" {
		pattern += " | " + command + ":-" + f.short
	}
	return pattern
}

// bashReply sets the possible values, or does nothing if there are none to offer.
func bashReply(v completedValues) string {
	generate := ""
	if len(v.words) > 0 {
		generate += "compgen -W '" + strings.Join(v.words, " ") + "' -- \"$cur\"; "
	}
	if v.files {
		generate += "compgen -f -- \"$cur\"; "
	}
	if v.dirs {
		generate += "compgen -d -- \"$cur\"; "
	}
	if generate == "" {
		return ""
	}
	reply := "mapfile -t COMPREPLY < <(" + strings.TrimSuffix(generate, "; ") + "); "
	if v.files || v.dirs {
		reply = "compopt -o filenames; " + reply
	}
	return reply
}
