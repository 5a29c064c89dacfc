package once_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"rules_tf_mirror/tools/internal/once"
)

func TestDo(t *testing.T) {
	t.Parallel()
	var m once.Map[string, int]
	var asked atomic.Int32
	fails := errors.New("fails")
	var group sync.WaitGroup
	for range 50 {
		for key, want := range map[string]error{"good": nil, "bad": fails} {
			group.Go(func() {
				got, err := m.Do(context.Background(), key, func(context.Context) (int, error) {
					return int(asked.Add(1)), want
				})
				if !errors.Is(err, want) || got < 1 || got > 2 {
					t.Errorf("Do(%s) = %d, %v, want error %v", key, got, err, want)
				}
			})
		}
	}
	group.Wait()
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times for two questions", n)
	}
}

// TestDoCancelled: who waits for another's answer can give up.
func TestDoCancelled(t *testing.T) {
	t.Parallel()
	var m once.Map[string, int]
	started, release := make(chan struct{}), make(chan struct{})
	go m.Do(context.Background(), "key", func(context.Context) (int, error) {
		close(started)
		<-release
		return 0, nil
	})
	<-started
	defer close(release)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	if _, err := m.Do(ctx, "key", nil); !errors.Is(err, stop) {
		t.Errorf("error %v, want the cause", err)
	}
}
