package retain

import "time"

// SetNow gives the keeper another clock.
func (k *Keeper) SetNow(now func() time.Time) { k.now = now }
