package transport

import "time"

const (
	// longestPaced is the longest Retry-After from which a rate is learned. Registries that count by the second ask for one second; what
	// a longer one means (a quota, an outage) cannot be learned from one answer, and a wrong guess would cost that long each time.
	longestPaced = 2 * time.Second
	// leastPaced is the lowest rate that is learned, so that a wrong guess cannot slow a run to a crawl.
	leastPaced = 4
)

// pace spreads requests to a host that counts them by the second: as many as it answered in the last interval, and a few more to find
// out whether it takes more. Without it every interval would start with a burst of which most is turned away again.
type pace struct {
	interval   time.Duration // zero: no rate is known
	allowed    int           // requests per interval
	started    time.Time     // of the current interval
	used       int           // requests in it
	answered   int           // good answers in it
	turnedAway bool          // a request in it was answered with 429
}

// admit counts a request in, or says how long to wait before asking again.
func (p *pace) admit(now time.Time) time.Duration {
	if p.interval == 0 {
		return 0
	}
	end := p.started.Add(p.interval)
	if !p.turnedAway {
		// A little longer: the server's seconds do not begin with ours, and to be early by a hair costs a whole second.
		end = end.Add(p.interval / 16)
	}
	if !now.Before(end) {
		switch {
		case p.turnedAway:
			// Not less than half: a burst that was early says little about the rate.
			p.allowed = max(p.answered, p.allowed/2, leastPaced)
		case p.used >= p.allowed:
			p.allowed += p.allowed/8 + 1
		}
		p.started, p.used, p.answered, p.turnedAway = now, 0, 0, false
	} else if p.turnedAway || p.used >= p.allowed {
		return end.Sub(now)
	}
	p.used++
	return 0
}

// throttled notes a 429 that demands a wait.
func (p *pace) throttled(now time.Time, demanded time.Duration) {
	if demanded <= 0 || demanded > longestPaced {
		p.interval = 0
		return
	}
	if p.turnedAway && p.interval != 0 {
		return // of the same burst
	}
	p.interval, p.started, p.turnedAway = demanded, now, true
}
