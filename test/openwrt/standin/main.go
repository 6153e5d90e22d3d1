// Command standin takes the place of OpenWrt's programs in the tests of its package's scripts. The name
// by which it is called says which: uci or logger.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	program, args := filepath.Base(os.Args[0]), os.Args[1:]
	var err error
	switch program {
	case "uci":
		err = uci(args)
	case "logger":
		err = logger(args)
	default:
		err = fmt.Errorf("no stand-in for %s", program)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// logFile is where the test looks for the system's log.
const logFile = "/tmp/log"

// logger keeps a line as "PRIORITY TAG TEXT", and repeats it with -s.
func logger(args []string) error {
	priority, tag := "user.notice", "root"
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch {
		case args[0] == "-s":
			args = args[1:]
			fmt.Fprintln(os.Stderr, args[len(args)-1])
			continue
		case args[0] == "-t" && len(args) > 1:
			tag = args[1]
		case args[0] == "-p" && len(args) > 1:
			priority = args[1]
		default:
			return fmt.Errorf("logger: no option %s", args[0])
		}
		args = args[2:]
	}
	file, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%s %s %s\n", priority, tag, strings.Join(args, " "))
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}
