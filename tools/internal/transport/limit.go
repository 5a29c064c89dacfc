package transport

import (
	"context"
	"net/url"
	"time"
)

// limit is a time limit that stands still while nobody is to blame: during the wait for a gate.
type limit struct {
	timer   *time.Timer // nil: no limit
	left    time.Duration
	started time.Time
}

// newLimit starts a limit; with a duration of 0 there is none.
func newLimit(d time.Duration, over func()) *limit {
	if d <= 0 {
		return &limit{}
	}
	return &limit{timer: time.AfterFunc(d, over), left: d, started: time.Now()}
}

// pause stops the clock.
func (l *limit) pause() {
	if l.timer != nil && l.timer.Stop() {
		l.left -= time.Since(l.started)
	}
}

// resume starts it again; what is over stays over.
func (l *limit) resume() {
	if l.timer != nil {
		l.started = time.Now()
		l.timer.Reset(max(l.left, 0))
	}
}

// overdue makes one error of the many that a request ends with when its time limit is over; whole is the context without the limit.
func overdue(whole, limited context.Context, err error) error {
	if whole.Err() == nil && context.Cause(limited) == context.DeadlineExceeded {
		return &url.Error{Op: "Get", Err: context.DeadlineExceeded}
	}
	return err
}
