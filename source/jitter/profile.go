package jitter

import (
	"cmp"
	"slices"
)

const (
	// DefaultMemory is the most memory that the noise loop takes unless told otherwise.
	DefaultMemory = 32 << 20
	// maxMemory is as far as the loop's addresses reach with some bits to spare.
	maxMemory = 1 << 30
	// memoryShare is the share of the machine's memory that it takes at most.
	memoryShare = 16

	// smallBuffer is for machines of which a sixteenth is less than largeBuffer; those with less than
	// tinyMachine get tinyBuffer.
	largeBuffer = 16 << 20
	smallBuffer = 1 << 20
	tinyBuffer  = 256 << 10
	tinyMachine = 64 << 20
	// beyondL2 is how many times the size of the level 2 cache the buffer is. Up to 8 times a loop's
	// whole buffer stays in near caches for seconds on an idle machine, and 5 bits of min-entropy a
	// sample become 1.
	beyondL2 = 16
	// usualL2 stands in where nothing states the cache's size.
	usualL2 = 1 << 20

	// cheapTouches are few for a buffer that is short. slowSample is the time in nanoseconds of a sample
	// that is no bargain: a fast machine takes 2 µs for 1024 touches of a near cache.
	cheapTouches = 64
	slowSample   = 20_000

	// maxSampleTime bounds the work of one sample, in nanoseconds.
	maxSampleTime = 100_000
)

// profiles lists the settings to try, the most promising first: many cheap samples over a large
// buffer, or much work for each sample where memory is short. Only measurement decides.
func profiles(m Machine, limit int) []Profile {
	if limit <= 0 {
		limit = DefaultMemory
	}
	limit = min(limit, maxMemory)
	if m.Memory > 0 {
		limit = int(min(int64(limit), m.Memory/memoryShare))
	}
	if limit < largeBuffer {
		buffer := smallBuffer
		if m.Memory > 0 && m.Memory < tinyMachine || limit < smallBuffer {
			buffer = tinyBuffer
		}
		return []Profile{{buffer, 1024}, {buffer, 256}, {buffer, 4096}}
	}
	l2 := int64(m.L2)
	if l2 == 0 {
		l2 = usualL2
	}
	buffer := largeBuffer
	for int64(buffer) < beyondL2*l2 && buffer <= limit/2 {
		buffer *= 2
	}
	list := []Profile{{buffer, 16}}
	if buffer <= limit/2 {
		list = append(list, Profile{2 * buffer, 16})
	}
	for touches := 64; touches <= 4096; touches *= 4 {
		list = append(list, Profile{buffer, touches})
	}
	return list
}

// cheapFirst is the order in which to try settings where work takes long: the least work first. Where
// every touch misses the caches, or the CPU is slow, little of it shows jitter in plenty, and a router
// that is the slowest of all would wait longest for its first keys.
func cheapFirst(list []Profile) []Profile {
	list = append([]Profile{{list[0].Buffer, cheapTouches}}, list...)
	slices.SortStableFunc(list, func(a, b Profile) int { return cmp.Compare(a.Touches, b.Touches) })
	return list
}

// trial is a setting that was tried.
type trial struct {
	Profile
	Measurement
	fault     string // why it cannot be used, "" if it can
	confirmed bool   // measured over a long window
}

// tooSlow tells whether a sample of another setting would take too long, by the time that one of this
// takes.
func (t trial) tooSlow(other Profile) bool {
	return t.Median*float64(other.Touches)/float64(t.Touches) > maxSampleTime
}

// best returns the index of the setting with the most min-entropy for its time, of those whose estimate
// is at least so high. It reports false if there is none.
func best(trials []trial, least float64) (index int, ok bool) {
	for i, t := range trials {
		if t.fault == "" && t.Estimate >= least && (!ok || t.Estimate/t.Median > trials[index].Estimate/trials[index].Median) {
			index, ok = i, true
		}
	}
	return index, ok
}

// choose returns the index of the setting for a claim: with comfort if possible, else with the
// margin, else the one with the highest estimate, for a lower claim. It is -1 if no setting can be
// used.
func choose(trials []trial, claim float64) int {
	for _, factor := range []float64{comfort, margin} {
		if i, ok := best(trials, factor*claim); ok {
			return i
		}
	}
	highest := -1
	for i, t := range trials {
		if t.fault == "" && (highest < 0 || t.Estimate > trials[highest].Estimate) {
			highest = i
		}
	}
	return highest
}
