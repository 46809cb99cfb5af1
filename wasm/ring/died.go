package ring

import "errors"

// ErrDied is the cause of an error when a helper ended in the middle of a call: it crashed, or the system ended it. Neither is anything that
// a guest can do while the wall holds, so whoever sees it twice for one file had better not try a third time.
var ErrDied = errors.New("ring: the helper died")
