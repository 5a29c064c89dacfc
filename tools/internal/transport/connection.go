package transport

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"
)

// connectPatience ends the wait for a connection that does not come about: a host that swallows packets must not make its requests
// fail one after the other.
const connectPatience = time.Second

// firstConnection lets one request of a host connect before the others start. With HTTP/2 they then share that connection; without
// this, a burst of n requests makes n TLS handshakes of which n-1 are for nothing.
type firstConnection struct {
	once *sync.Once
	turn chan struct{} // holds one element: the right to be the first
	done chan struct{} // closed when somebody is connected
}

func newFirstConnection() firstConnection {
	f := firstConnection{once: new(sync.Once), turn: make(chan struct{}, 1), done: make(chan struct{})}
	f.turn <- struct{}{}
	return f
}

// wait returns a context for the attempt and a function to call after it. It blocks while another request is connecting.
func (f firstConnection) wait(ctx context.Context) (context.Context, func(), error) {
	select {
	case <-f.done:
		return ctx, func() {}, nil
	default:
	}
	patience := time.NewTimer(connectPatience)
	defer patience.Stop()
	select {
	case <-f.done:
		return ctx, func() {}, nil
	case <-patience.C:
		return ctx, func() {}, nil
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	case <-f.turn:
	}
	connected := func() { f.once.Do(func() { close(f.done) }) }
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected() },
	})
	// After a failure everybody may try at once: whether this one was bad luck or the host is dead, waiting in line only adds the
	// time limits of all requests up.
	return traced, connected, nil
}
