// Package once remembers the answer to each question of a process, so that it is asked once however many want to know.
package once

import (
	"context"
	"sync"
)

// Map holds answers by question. The zero value is ready; it is safe for concurrent use and must not be copied.
type Map[K comparable, V any] struct {
	mu      sync.Mutex
	answers map[K]*answer[V]
}

type answer[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// Do returns the answer for the key, asking with ask if nobody has yet. Errors are remembered as answers are (R-DISC-14): within one
// run a second try would only double the wait. ask runs under the context of the first caller; all callers of one run share its fate.
func (m *Map[K, V]) Do(ctx context.Context, key K, ask func(context.Context) (V, error)) (V, error) {
	m.mu.Lock()
	if m.answers == nil {
		m.answers = map[K]*answer[V]{}
	}
	a, ok := m.answers[key]
	if !ok {
		a = &answer[V]{done: make(chan struct{})}
		m.answers[key] = a
	}
	m.mu.Unlock()
	if !ok {
		a.value, a.err = ask(ctx)
		close(a.done)
		return a.value, a.err
	}
	select {
	case <-a.done:
		return a.value, a.err
	case <-ctx.Done():
		var none V
		return none, context.Cause(ctx)
	}
}
