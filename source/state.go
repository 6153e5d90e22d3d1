package source

// State is where a source stands. Only Active earns credit.
type State uint8

// The states, in the order in which metrics and documents list them.
const (
	Disabled    State = iota // not wanted, or denied by configuration
	Starting                 // not yet through the start-up test, or waiting for the device
	Active                   // tested and in use
	Suspect                  // mixed in, earns no credit
	Quarantined              // not used; re-tested at growing intervals
	Failed                   // latched until the daemon restarts
)

// States lists every state, for metrics and documents.
var States = [...]State{Disabled, Starting, Active, Suspect, Quarantined, Failed}

var stateNames = [...]string{"disabled", "starting", "active", "suspect", "quarantined", "failed"}

func (s State) String() string { return stateNames[s] }

// Event is something that may move a source to another state.
type Event uint8

// The events.
const (
	Stopped     Event = iota // the daemon ends, or the configuration drops the source
	Denied                   // the configuration forbids what is behind the device
	Absent                   // there is nothing to read from
	Changed                  // another generator, file or claim
	Resumed                  // the machine was suspended, or is a copy of another one
	Silent                   // no data for longer than the source was ever silent
	Unreadable               // reads fail, several in a row
	Readable                 // data came
	TestPassed               // the start-up test, and after a quarantine the re-admission test
	BlockFailed              // the block of a start-up test failed
	Alarm                    // RCT, APT or the repeat detector
	FailsMore                // half of what FailsOften takes
	FailsOften               // blocks fail more often than chance explains
	Recovered                // the failures behind FailsMore are made good
	Retest                   // the pause of a quarantine is over
	Latched                  // the source says that it must not be used again
)

// Events lists every event, for documents and tests.
var Events = [...]Event{
	Stopped, Denied, Absent, Changed, Resumed, Silent, Unreadable, Readable, TestPassed, BlockFailed,
	Alarm, FailsMore, FailsOften, Recovered, Retest, Latched,
}

var eventNames = [...]string{
	"stopped", "denied", "absent", "changed", "resumed", "silent", "unreadable", "readable", "test passed",
	"block failed", "alarm", "fails more", "fails often", "recovered", "retest", "latched",
}

func (e Event) String() string { return eventNames[e] }

// transitions is the whole state machine. An event that is not listed for a state changes nothing.
// ARCHITECTURE.md shows the same table, and a test compares the two.
var transitions = map[State]map[Event]State{
	Disabled: {
		Absent: Starting, Changed: Starting, Resumed: Starting, Silent: Starting, Unreadable: Starting,
		Readable: Starting, Latched: Failed,
	},
	Starting: {
		TestPassed:  Active,
		BlockFailed: Quarantined, Alarm: Quarantined, FailsOften: Quarantined,
		Denied: Disabled, Latched: Failed, Stopped: Disabled,
	},
	Active: {
		FailsMore: Suspect,
		Alarm:     Quarantined, FailsOften: Quarantined,
		Absent: Starting, Changed: Starting, Resumed: Starting, Silent: Starting, Unreadable: Starting,
		Denied: Disabled, Latched: Failed, Stopped: Disabled,
	},
	Suspect: {
		Recovered: Active,
		Alarm:     Quarantined, FailsOften: Quarantined,
		Absent: Starting, Changed: Starting, Resumed: Starting, Silent: Starting, Unreadable: Starting,
		Denied: Disabled, Latched: Failed, Stopped: Disabled,
	},
	Quarantined: {
		Retest: Starting, Absent: Starting, Changed: Starting,
		Denied: Disabled, Latched: Failed, Stopped: Disabled,
	},
	Failed: {
		Stopped: Disabled,
	},
}

// Next returns the state to which an event leads.
func (s State) Next(e Event) State {
	if next, ok := transitions[s][e]; ok {
		return next
	}
	return s
}
