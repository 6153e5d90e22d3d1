// Package faults is the fault bench: the built program against devices that misbehave, and a soak.
//
//	go test ./test/faults                                    # every case, in about two minutes
//	go test ./test/faults -v -run TestCases/FC-017           # one of them
//	go test ./test/faults -table $PWD/table.md               # also writes the table of verdicts to a file
//	go test ./test/faults -v -run Soak -soak 10m -timeout 20m
//	HWRNGD=/path/to/hwrngd go test ./test/faults             # this program, no fresh build
//
// Each file of cases/ is a case, named by its field case; cases/README.md lists all field cases and
// says what holds for every case. Package script describes the language of the files. A case has a
// machine of its own (device, sysfs, procfs, configuration), eight run at a time, and the daemon
// refills each second and uses the device alone unless the case says otherwise. Credit goes to the
// kernel of the machine that runs the tests, which does it no harm; its own sysfs is never written.
//
// Devices are FIFOs, pseudo-terminals behind a link, and FUSE files, of which every single read can be
// answered by the case. For FUSE files the daemon gets --allow-file-source. Root is needed, for some
// cases strace (test/need.sh strace) or /dev/fuse; where these are missing cases are skipped, loudly.
// go-fuse cannot be built for 32-bit machines.
//
// At the end there is a table of all cases, with the CPU time that each daemon took, and for each fault
// how soon it was noticed and what was credited until then.
package faults
