package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox/host/retain"
)

// config is what the configuration file says.
type config struct {
	flags     map[string]string // by flag; those of a table by its name, a dash and the key
	retention []retain.Rule
}

// configSubject is what people are told is at fault.
const configSubject = "configuration file"

// configWrong is the failure of a configuration file that says something wrong, in a key or a value.
func configWrong(plain string) *failure {
	f := environment(configSubject, plain, nil)
	f.err.Hint = `"glovebox doctor" names the file. Times are written as 90m, 48h or 30d, sizes as 64MiB or 1GiB, all in quotes.`
	return f
}

// configFile is the configuration file that applies, "" when there is none.
func configFile() string {
	path, err := xdg.SearchConfigFile(filepath.Join("glovebox", "config.toml"))
	if err != nil {
		return ""
	}
	return path
}

// loadConfig reads the configuration file at path. Each key must be one that is known and each value one that its flag takes, whichever
// command runs: a mistake shows at the first run and not at the first use.
func loadConfig(path string) (config, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a named pipe would be waited for
		return config{}, environment(configSubject, "is not a regular file", nil)
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return config{}, nil
	}
	if err != nil {
		return config{}, environment(configSubject, "cannot be read", err)
	}
	var keys map[string]any
	if err := toml.Unmarshal(raw, &keys); err != nil {
		plain := "is not TOML"
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, col := d.Position()
			plain = fmt.Sprintf("is not TOML at line %d, column %d", row, col)
		}
		return config{}, environment(configSubject, plain, err)
	}
	out := config{flags: map[string]string{}}
	if rules, ok := keys["retention"]; ok {
		if out.retention, err = retentionRules(rules); err != nil {
			return config{}, err
		}
		delete(keys, "retention")
	}
	if err := out.add("", keys, configurable); err != nil {
		return config{}, err
	}
	return out, nil
}

// add takes over the keys of one table, whose name and a dash are prefix, "" for the keys that stand in none. Only the names of known are keys.
func (c *config) add(prefix string, keys map[string]any, known []string) error {
	check := standingFlags()
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		name := prefix + strings.ReplaceAll(key, "_", "-")
		table, isTable := keys[key].(map[string]any)
		switch {
		case prefix == "" && isTable && tables[key] != nil:
			if err := c.add(key+"-", table, tables[key]); err != nil {
				return err
			}
			continue
		case !slices.Contains(known, name) || strings.Contains(key, "-"):
			return configWrong(fmt.Sprintf("unknown key %q", strings.ReplaceAll(prefix, "-", ".")+key))
		}
		v, ok := scalar(keys[key])
		if !ok || !set(check.Lookup(name), v) {
			return configWrong(fmt.Sprintf("the value of %q does not fit", strings.ReplaceAll(prefix, "-", ".")+key))
		}
		c.flags[name] = v
	}
	return nil
}

// standingFlags are all flags that may have a standing value.
func standingFlags() *pflag.FlagSet {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(global).register(all)
	new(readFlags).register(all)
	registerMaxAttachment(all, new(byteSize))
	new(quotaFlags).register(all)
	new(sweepFlags).register(all, "gc-")
	return all
}
