package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// age is a flag value that takes "90m", "48h" or "30d".
type age time.Duration

func (a *age) String() string {
	switch d := time.Duration(*a); {
	case d == 0:
		return ""
	case d%(24*time.Hour) == 0:
		return strconv.FormatInt(int64(d/(24*time.Hour)), 10) + "d"
	default:
		return d.String()
	}
}

func (a *age) Type() string { return "age" }

func (a *age) Set(s string) error {
	d, ok := parseAge(s)
	if !ok {
		return fmt.Errorf("%q is not a time such as 90m, 48h or 30d", s)
	}
	*a = age(d)
	return nil
}

// mostDays is about 290 years, which is what a Duration holds.
const mostDays = 100_000

// parseAge reads a positive length of time, in days too.
func parseAge(s string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 32)
		return time.Duration(n) * 24 * time.Hour, err == nil && n > 0 && n <= mostDays
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d > 0
}

// tables are the tables of the configuration file and, by flag, what stands in them. Their keys have no flag of the same name, but an
// environment variable.
var tables = map[string][]string{
	"quota": {"quota-session-files", "quota-session-bytes", "quota-principal-files", "quota-principal-bytes", "quota-total-bytes"},
	"gc":    {"gc-grace", "gc-ttl", "gc-after-delete", "gc-max-bytes", "gc-max-cache"},
}

// quotaFlags are how much may be kept. They hold for whoever uses the store, so that no command has them as flags.
type quotaFlags struct {
	sessionFiles, principalFiles             int64
	sessionBytes, principalBytes, totalBytes byteSize
}

func (q *quotaFlags) register(f *pflag.FlagSet) {
	f.Int64Var(&q.sessionFiles, "quota-session-files", 0, "")
	f.Var(&q.sessionBytes, "quota-session-bytes", "")
	f.Int64Var(&q.principalFiles, "quota-principal-files", 0, "")
	f.Var(&q.principalBytes, "quota-principal-bytes", "")
	f.Var(&q.totalBytes, "quota-total-bytes", "")
}

// quota is what the environment and the configuration allow to be kept.
func (a *app) quota() (store.Quota, error) {
	var q quotaFlags
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	q.register(all)
	if err := configure(all, a.getenv, a.config.flags); err != nil {
		return store.Quota{}, err
	}
	return store.Quota{
		SessionFiles: q.sessionFiles, SessionBytes: int64(q.sessionBytes), PrincipalFiles: q.principalFiles, PrincipalBytes: int64(q.principalBytes),
		TotalBytes: int64(q.totalBytes),
	}, nil
}

// sweepFlags say what gc removes beside what the rules of the configuration do.
type sweepFlags struct {
	grace, ttl, afterDelete age
	maxBytes, maxCache      byteSize
}

func (s *sweepFlags) register(f *pflag.FlagSet, prefix string) {
	f.Var(&s.grace, prefix+"grace", "leave alone bytes that came less than this `AGE` ago and that nothing names (default 1h)")
	f.Var(&s.ttl, prefix+"ttl", "delete files of this `AGE`, unless a rule of the configuration says otherwise (default: none are)")
	f.Var(&s.afterDelete, prefix+"after-delete", "purge what was deleted this `AGE` ago, unless a rule says otherwise (default: none is)")
	f.Var(&s.maxBytes, prefix+"max-bytes", "delete the oldest files until all together have this `SIZE` (default: no limit)")
	f.Var(&s.maxCache, prefix+"max-cache", "keep this `SIZE` of decoded answers, which can be made again (default "+formatBytes(defaultMaxCache)+")")
}

// defaultMaxCache is how many bytes of decoded answers gc leaves.
const defaultMaxCache = 256 << 20

// retentionRules reads the rules of the configuration file.
func retentionRules(v any) ([]retain.Rule, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, configWrong(`"retention" is not a list of tables, which are written [[retention]]`)
	}
	var out []retain.Rule
	for i, item := range list {
		rule, ok := item.(map[string]any)
		if !ok {
			return nil, configWrong(`"retention" is not a list of tables, which are written [[retention]]`)
		}
		r, err := parseRetention(rule)
		if err != nil {
			return nil, configWrong(fmt.Sprintf("retention rule %d: %v", i+1, err))
		}
		out = append(out, r)
	}
	return out, nil
}

func parseRetention(keys map[string]any) (r retain.Rule, err error) {
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		v, ok := scalar(keys[key])
		fits := ok
		var length age
		var size byteSize
		switch key {
		case "principal":
			r.Principal = readapi.PrincipalID(unlessAny(v))
			fits = fits && (r.Principal == "" || r.Principal.Valid())
		case "session":
			r.Session = readapi.SessionID(unlessAny(v))
			fits = fits && (r.Session == "" || r.Session.Valid())
		case "source":
			r.Source = store.Source(unlessAny(v))
			fits = fits && (r.Source == "" || r.Source.Valid())
		case "ttl":
			fits = fits && length.Set(v) == nil
			r.TTL = time.Duration(length)
		case "after_delete":
			fits = fits && length.Set(v) == nil
			r.AfterDelete = time.Duration(length)
		case "max_bytes":
			fits = fits && size.Set(v) == nil
			r.SessionBytes = int64(size)
		case "keep":
			r.Keep, fits = v == "true", fits && (v == "true" || v == "false")
		default:
			return r, fmt.Errorf("unknown key %q", key)
		}
		if !fits {
			return r, fmt.Errorf("the value of %q does not fit", key)
		}
	}
	removes := r.TTL > 0 || r.AfterDelete > 0 || r.SessionBytes > 0
	switch {
	case r.Keep && removes:
		return r, errors.New(`"keep" excludes "ttl", "after_delete" and "max_bytes"`)
	case !r.Keep && !removes:
		return r, errors.New("it says nothing: give ttl, after_delete, max_bytes or keep")
	}
	return r, nil
}

// unlessAny is the name of one thing, "" for "*", which is any.
func unlessAny(s string) string {
	if s == "*" {
		return ""
	}
	return s
}
