package main

import "strings"

// nearest returns the one of have that name was most likely meant to be, or ""
// if none is close. Upper and lower case count as the same, and '_' as '-'.
func nearest(name string, have []string) string {
	const longest = 64 // no name of ours is longer, and the work is quadratic
	if name == "" || len(name) > longest {
		return ""
	}
	fold := strings.NewReplacer("_", "-")
	name = fold.Replace(strings.ToLower(name))
	best, bestDistance := "", longest
	for _, candidate := range have {
		d := editDistance(name, fold.Replace(strings.ToLower(candidate)))
		// A third of the letters may be wrong: enough for any slip of the
		// fingers, too little to turn one real word into another.
		if limit := (max(len(name), len(candidate)) + 2) / 3; d <= limit && d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// didYouMean is nearest as the end of a sentence, "" if nothing is close.
func didYouMean(name string, have []string) string {
	if near := nearest(name, have); near != "" {
		return `, did you mean "` + near + `"?`
	}
	return ""
}

// editDistance is the Levenshtein distance, with two exchanged neighbours
// counted as a single error: that is the commonest one at a keyboard.
func editDistance(a, b string) int {
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
