package openwrt

import (
	"encoding/json"
	"slices"
	"strings"
)

// call is one call of a procd function, by its name without procd_, with its words.
type call []string

// calls returns what the scripts told procd.
func (r *router) calls() (all []call) {
	for record := range strings.SplitSeq(strings.TrimSuffix(r.read("/tmp/calls"), "\x1e"), "\x1e") {
		if record != "" {
			all = append(all, strings.Split(strings.TrimSuffix(record, "\x1f"), "\x1f"))
		}
	}
	return all
}

// messages makes the messages for procd's service object out of the calls, as procd.sh does: the method
// and the arguments in JSON.
func (r *router) messages() (all []message) {
	r.t.Helper()
	var service, instance object
	for _, c := range r.calls() {
		words := c[1:]
		switch c[0] {
		case "open_service":
			service = object{"name": words[0], "script": words[1], "instances": object{}, "triggers": []any{}}
		case "open_instance":
			instance = object{}
			service["instances"].(object)["instance1"] = instance
		case "set_param":
			instance[words[0]] = param(words[0], words[1:])
		case "add_jail":
			jail := object{"name": words[0], "mount": object{}}
			for _, word := range words[1:] {
				jail[word] = true
			}
			instance["jail"] = jail
		case "add_jail_mount", "add_jail_mount_rw":
			mode := "0"
			if c[0] == "add_jail_mount_rw" {
				mode = "1"
			}
			// procd.sh takes the words apart once more.
			for _, path := range strings.Fields(strings.Join(words, " ")) {
				instance["jail"].(object)["mount"].(object)[path] = mode
			}
		case "add_reload_trigger":
			service["triggers"] = append(service["triggers"].([]any), []any{
				"config.change", []any{"if", []any{"eq", "package", words[0]}, []any{"run_script", service["script"], "reload"}}, 1000,
			})
		case "close_instance":
			instance = nil
		case "set":
			all = append(all, message{"set", service})
		case "delete":
			all = append(all, message{"delete", object{"name": "hwrngd"}})
		default:
			r.t.Fatalf("unknown call %q", c)
		}
	}
	return all
}

type object = map[string]any

type message struct {
	method string
	args   object
}

// json writes the message for people.
func (m message) json() string {
	text, err := json.MarshalIndent(m.args, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text) + "\n"
}

// instance returns the parameters of the one instance, nil if there is none.
func (m message) instance() object {
	i, _ := m.args["instances"].(object)["instance1"].(object)
	return i
}

// mounts returns the paths that the jail shows, with 1 in front of those that can be written.
func (m message) mounts() (paths []string) {
	jail, _ := m.instance()["jail"].(object)
	mount, _ := jail["mount"].(object)
	for path, mode := range mount {
		paths = append(paths, strings.Trim(mode.(string), "0")+path)
	}
	slices.Sort(paths)
	return paths
}

// param gives a parameter the type that procd.sh gives it.
func param(name string, words []string) any {
	switch name {
	case "command", "file", "respawn":
		return words
	case "limits", "data":
		table := object{}
		for _, word := range words {
			key, value, _ := strings.Cut(word, "=")
			table[key] = value
		}
		return table
	case "stdout", "stderr", "no_new_privs":
		return words[0] == "1"
	}
	return words[0]
}
