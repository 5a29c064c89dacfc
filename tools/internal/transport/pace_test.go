package transport

import (
	"testing"
	"time"
)

// TestPace: after a second with 30 answers and a 429, the next seconds begin with little more than 30 requests.
func TestPace(t *testing.T) {
	t.Parallel()
	var p pace
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if p.admit(now) != 0 {
		t.Error("an unknown rate holds a request back")
	}
	serve := func(limit int) (admitted int) {
		for range 64 {
			if p.admit(now) > 0 {
				break
			}
			admitted++
		}
		for i := range admitted {
			if i < limit {
				p.answered++
			} else {
				p.throttled(now, time.Second)
			}
		}
		now = now.Add(1100 * time.Millisecond)
		return admitted
	}
	var got []int
	for range 6 {
		got = append(got, serve(30))
	}
	for range 3 {
		got = append(got, serve(1000)) // the limit is lifted
	}
	want := []int{64, 30, 34, 30, 34, 30, 34, 39, 44}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("admitted %v, want %v", got, want)
			break
		}
	}
}

// TestPaceLimits: a long Retry-After teaches no rate, and a host that answered nothing is still asked a few things.
func TestPaceLimits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var p pace
	p.throttled(now, time.Minute)
	if wait := p.admit(now); wait != 0 {
		t.Errorf("a minute's Retry-After holds back for %v beside the gate", wait)
	}
	p.throttled(now, time.Second)
	if wait := p.admit(now.Add(time.Second / 4)); wait != 750*time.Millisecond {
		t.Errorf("wait %v, want the rest of the second", wait)
	}
	now = now.Add(1100 * time.Millisecond)
	for i := range leastPaced {
		if p.admit(now) != 0 {
			t.Errorf("request %d is held back, want %d to pass", i, leastPaced)
		}
	}
	if p.admit(now) == 0 {
		t.Errorf("more than %d requests pass", leastPaced)
	}
}
