package plugins

import (
	"container/list"
	"sync"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// quarantine remembers which files failed the host itself with which decoder. A guest that does what guests may not be able to do, twice
// with the same bytes, is not given them a third time.
type quarantine struct {
	most int // pairs that are remembered; the one that was longest not asked for goes first

	mu    sync.Mutex
	pairs map[pair]*list.Element // of *strikes
	order list.List              // the last one asked for is in front
}

type pair struct{ decoder, file string }

type strikes struct {
	pair
	n int
}

const (
	mostStrikes = 2 // failures that are enough
	mostPairs   = 4096
)

func newQuarantine() *quarantine {
	return &quarantine{most: mostPairs, pairs: map[pair]*list.Element{}}
}

// none reports whether nothing is known, so that nobody need wait for a digest.
func (q *quarantine) none() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.pairs) == 0
}

// holds reports whether the decoder does not get the file any more.
func (q *quarantine) holds(decoder, file string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.pairs[pair{decoder, file}]
	if e == nil {
		return false
	}
	q.order.MoveToFront(e)
	return e.Value.(*strikes).n >= mostStrikes
}

// strike counts a failure, and reports whether it was the one that is enough.
func (q *quarantine) strike(decoder, file string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	k := pair{decoder, file}
	e := q.pairs[k]
	if e == nil {
		if q.order.Len() >= q.most {
			last := q.order.Back()
			delete(q.pairs, q.order.Remove(last).(*strikes).pair)
		}
		e = q.order.PushFront(&strikes{pair: k})
		q.pairs[k] = e
	}
	q.order.MoveToFront(e)
	s := e.Value.(*strikes)
	s.n++
	return s.n == mostStrikes
}

// forgive forgets all files of a decoder.
func (q *quarantine) forgive(decoder string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for k, e := range q.pairs {
		if k.decoder == decoder {
			q.order.Remove(e)
			delete(q.pairs, k)
		}
	}
}

// errFileQuarantined is for a file that its decoder does not get, errDecoderQuarantined for a decoder that gets none.
func errFileQuarantined() error {
	return &readapi.Error{
		Code: readapi.CodeTrap, Detail: "the file took the decoder's host down twice and is quarantined", Final: true,
		Hint: "Read another file; the decoder does not get this one again.",
	}
}

func errDecoderQuarantined() error {
	return &readapi.Error{
		Code: readapi.CodeTrap, Detail: "the decoder gave two answers for one read and is quarantined",
		Hint: "The operator decides whether the decoder is used again.",
	}
}
