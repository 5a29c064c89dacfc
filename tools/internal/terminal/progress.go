package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"rules_tf_mirror/tools/internal/foreign"
)

// redrawEvery bounds how often a terminal is written to.
const redrawEvery = 100 * time.Millisecond

// Progress shows how far a number of items is. It is safe for concurrent use; a nil Progress shows nothing.
type Progress struct {
	w     io.Writer
	bar   bool // redraw one line, else a line per item
	width func() int
	now   func() time.Time

	mu          sync.Mutex
	items, done int
	bytes       map[*Item]amount
	settled     int64 // bytes of finished items
	drawn       time.Time
	visible     bool // the bar stands on the current line
}

type amount struct{ received, total int64 }

// NewProgress returns a Progress on w for a number of items. bar says whether to redraw one line, as Is tells.
func NewProgress(w io.Writer, items int, bar bool) *Progress {
	return &Progress{w: w, bar: bar, items: items, bytes: map[*Item]amount{}, now: time.Now, width: func() int { return width(w) }}
}

// Item is one item under way. A nil Item ignores its calls.
type Item struct {
	progress *Progress
	name     string
}

// Start begins an item.
func (p *Progress) Start(name string) *Item {
	if p == nil {
		return nil
	}
	item := &Item{progress: p, name: foreign.Line(name)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes[item] = amount{total: -1}
	return item
}

// Update says how many bytes arrived; total is negative if it is not known.
func (i *Item) Update(received, total int64) {
	if i == nil {
		return
	}
	p := i.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes[i] = amount{received, total}
	if p.bar && p.now().Sub(p.drawn) >= redrawEvery {
		p.draw()
	}
}

// Done ends an item with a word or two for the log, such as "fetched".
func (i *Item) Done(status string) {
	if i == nil {
		return
	}
	p := i.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.bytes[i]
	delete(p.bytes, i)
	p.settled += last.received
	p.done++
	if p.bar {
		p.draw()
		return
	}
	size := ""
	if last.received > 0 {
		size = " (" + Size(last.received) + ")"
	}
	fmt.Fprintf(p.w, "[%d/%d] %s: %s%s\n", p.done, p.items, i.name, foreign.Line(status), size)
}

// Close removes the bar.
func (p *Progress) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.visible {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.visible = false
	}
}

// draw writes the bar. The line is kept one column short of the width: a full line would wrap, and then be drawn again below itself.
func (p *Progress) draw() {
	received := p.settled
	share := float64(p.done)
	for _, a := range p.bytes {
		received += a.received
		if a.total > 0 {
			share += min(float64(a.received)/float64(a.total), 1)
		}
	}
	text := fmt.Sprintf(" %d/%d  %s", p.done, p.items, Size(received))
	room := max(min(p.width()-1-utf8.RuneCountInString(text)-2, 40), 0)
	bar := ""
	if room >= 5 && p.items > 0 {
		full := min(int(share/float64(p.items)*float64(room)), room)
		bar = "[" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "]"
	}
	fmt.Fprint(p.w, "\r\x1b[K"+bar+text)
	p.drawn, p.visible = p.now(), true
}
