package source

// State is where a source stands. Only Active earns credit.
type State uint8

// The states, in the order in which metrics and documents list them.
const (
	Disabled    State = iota // not wanted, or denied by configuration
	Starting                 // not yet through the start-up test, or waiting for the device
	Active                   // tested and in use
	Suspect                  // may be mixed in, earns no credit
	Quarantined              // not used; re-tested at growing intervals
	Failed                   // latched until the daemon restarts
)

// States lists every state, for metrics and documents.
var States = [...]State{Disabled, Starting, Active, Suspect, Quarantined, Failed}

var stateNames = [...]string{"disabled", "starting", "active", "suspect", "quarantined", "failed"}

func (s State) String() string { return stateNames[s] }
