package transport

import (
	"context"
	"net/url"
	"sync"
	"time"
)

// host is what the requests to one scheme, host and port know of each other.
type host struct {
	slots chan struct{} // one element per request in flight
	first firstConnection

	mu        sync.Mutex
	notBefore time.Time // the gate: no request before this time
	answered  int       // answers other than 429 and 5xx so far
	pace      pace
}

func (c *Client) host(u *url.URL) *host {
	key := u.Scheme + "://" + u.Host
	c.mu.Lock()
	defer c.mu.Unlock()
	h, ok := c.hosts[key]
	if !ok {
		h = &host{slots: make(chan struct{}, c.perHost), first: newFirstConnection()}
		c.hosts[key] = h
	}
	return h
}

// enter waits until the gate is open and a place is free. The caller must call leave.
func (c *Client) enter(ctx context.Context, h *host) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case h.slots <- struct{}{}:
		}
		wait := h.admit(c.now())
		if wait <= 0 {
			if ctx.Err() != nil {
				h.leave()
				return context.Cause(ctx)
			}
			return nil
		}
		// The place is given back: who waits for the gate must not keep others from finding out that it is open again.
		h.leave()
		if err := c.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func (h *host) leave() { <-h.slots }

// admit lets a request pass (0) or says how long to wait before asking again.
func (h *host) admit(now time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if wait := h.notBefore.Sub(now); wait > 0 {
		return wait
	}
	return h.pace.admit(now)
}

// throttled keeps all requests away for the demanded time and a little more; a gate is never opened earlier than it was promised.
func (h *host) throttled(now time.Time, demanded, late time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if until := now.Add(demanded + late); until.After(h.notBefore) {
		h.notBefore = until
	}
	h.pace.throttled(now, demanded)
}

func (h *host) noteAnswer() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answered++
	h.pace.answered++
}

// answers returns the number of good answers so far, to see later whether the host made progress.
func (h *host) answers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.answered
}
