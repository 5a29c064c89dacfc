package terminal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 4300: "4.2 KiB", 10240: "10 KiB", 1023 * 1024: "1.0 MiB",
		707788800: "675 MiB", 5 << 30: "5.0 GiB", 3 << 40: "3.0 TiB",
	} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	table := NewTable("provider", ">bytes", "status")
	table.Add("bücher.example/a/b", "7", "ok")
	table.Add("x", "12345")
	table.Add("y\n", "1", "evil\x1b[2J", "dropped")
	var out bytes.Buffer
	if err := table.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := `provider            bytes  status
bücher.example/a/b      7  ok
x                   12345
y                       1  evil [2J
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func TestEmptyTable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := NewTable("a").Write(&out); err != nil || out.Len() != 0 {
		t.Errorf("got %q, %v", &out, err)
	}
}

// A CI log gets one plain line per item.
func TestPlainProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&out, 2, false)
	first, second := p.Start("a\x1b[2J"), p.Start("b")
	first.Update(2048, 4096)
	first.Update(4096, 4096)
	first.Done("fetched")
	second.Done("cached")
	p.Close()
	if got, want := out.String(), "[1/2] a [2J: fetched (4.0 KiB)\n[2/2] b: cached\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A terminal gets one line that never fills the width, and nothing of it is left at the end.
func TestBar(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&out, 2, true)
	clock := time.Unix(0, 0)
	p.now = func() time.Time { return clock }
	p.width = func() int { return 30 }
	item := p.Start("a")
	item.Update(0, 100)
	drawn := out.Len()
	item.Update(1, 100)
	if out.Len() != drawn {
		t.Error("drawn again at once")
	}
	clock = clock.Add(time.Second)
	item.Update(50, 100)
	item.Done("fetched")
	p.Start("b").Update(0, -1)
	p.Close()
	frames := strings.Split(out.String(), "\r\x1b[K")
	for _, frame := range frames {
		if len(frame) > 29 || strings.Contains(frame, "\n") {
			t.Errorf("frame %q is too long", frame)
		}
	}
	if frames[len(frames)-1] != "" {
		t.Errorf("left on the line: %q", frames[len(frames)-1])
	}
	if got, want := frames[len(frames)-2], "[========         ] 1/2  50 B"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNilProgress(t *testing.T) {
	t.Parallel()
	var p *Progress
	item := p.Start("a")
	item.Update(1, 2)
	item.Done("fetched")
	p.Close()
}

func TestConcurrentProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&out, 16, false)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			item := p.Start("a")
			item.Update(1, 1)
			item.Done("fetched")
		})
	}
	group.Wait()
	if n := strings.Count(out.String(), "\n"); n != 16 {
		t.Errorf("%d lines, want 16", n)
	}
}

// Files and buffers are no terminals.
func TestIs(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	getenv := func(string) string { return "" }
	if Is(f, getenv) || Is(&bytes.Buffer{}, getenv) {
		t.Error("taken for a terminal")
	}
	if width(f) != defaultWidth || width(&bytes.Buffer{}) != defaultWidth {
		t.Error("a file has no width of its own")
	}
}
