package registry

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"strconv"
	"time"
)

// answer is what will be sent. It is shared between requests and not changed; send works on a copy of the header.
type answer struct {
	status int
	header http.Header
	body   []byte
	file   string // instead of body
}

// newAnswer is an answer with that body; status 0 is 200, an empty content type sends none.
func newAnswer(status int, contentType string, body []byte) *answer {
	if status == 0 {
		status = http.StatusOK
	}
	a := &answer{status: status, header: http.Header{}, body: body}
	if contentType != "" {
		a.header.Set("Content-Type", contentType)
	} else {
		a.header["Content-Type"] = nil // net/http would guess one
	}
	return a
}

// errorAnswer is an error in the form that registries use.
func errorAnswer(status int, message string) *answer {
	data, _ := json.Marshal(map[string][]string{"errors": {message}})
	return newAnswer(status, "application/json", data)
}

// countingWriter completes the log entry before the bytes leave.
type countingWriter struct {
	http.ResponseWriter
	log   *requestLog
	entry *Request
}

func (w *countingWriter) WriteHeader(status int) {
	w.log.update(func() { w.entry.Status = status })
	w.ResponseWriter.WriteHeader(status)
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.count(len(p))
	n, err := w.ResponseWriter.Write(p)
	if n < len(p) {
		w.count(n - len(p))
	}
	return n, err
}

func (w *countingWriter) count(n int) {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	w.entry.Bytes += int64(n)
	if w.entry.Status == 0 {
		w.entry.Status = http.StatusOK
	}
}

// Unwrap lets http.ResponseController flush.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// send writes the answer as the fault wants it. It panics with http.ErrAbortHandler to cut the connection.
func send(w *countingWriter, req *http.Request, a *answer, f Fault) {
	maps.Copy(w.Header(), a.header)
	if a.file != "" && a.status == http.StatusOK && !f.Truncate && !f.Gzip && f.BytesPerSecond == 0 {
		file, err := os.Open(a.file)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer file.Close()
		http.ServeContent(w, req, "", time.Time{}, file) // ranges, HEAD
		return
	}
	body, size, err := a.open(f.Gzip)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer body.Close()
	if f.Gzip {
		w.Header().Set("Content-Encoding", "gzip")
	}
	bodyAllowed := a.status >= 200 && a.status != http.StatusNoContent && a.status != http.StatusNotModified
	if bodyAllowed {
		w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	}
	w.WriteHeader(a.status)
	if req.Method == http.MethodHead || !bodyAllowed {
		return
	}
	if f.Truncate {
		size /= 2
	}
	if !copySlowly(req.Context(), w, io.LimitReader(body, size), f.BytesPerSecond) || f.Truncate {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// open is the body and its length.
func (a *answer) open(compress bool) (io.ReadCloser, int64, error) {
	if a.file == "" && !compress {
		return io.NopCloser(bytes.NewReader(a.body)), int64(len(a.body)), nil
	}
	data := a.body
	if a.file != "" {
		file, err := os.Open(a.file)
		if err != nil {
			return nil, 0, err
		}
		info, err := file.Stat()
		if err != nil || !compress {
			return file, info.Size(), err
		}
		data, err = io.ReadAll(file)
		_ = file.Close()
		if err != nil {
			return nil, 0, err
		}
	}
	var out bytes.Buffer
	zw := gzip.NewWriter(&out)
	if _, err := zw.Write(data); err != nil {
		return nil, 0, err
	}
	if err := zw.Close(); err != nil {
		return nil, 0, err
	}
	return io.NopCloser(&out), int64(out.Len()), nil
}

// copySlowly copies at a rate, 0 without limit; false means the client went away or the source failed.
func copySlowly(ctx context.Context, w *countingWriter, from io.Reader, bytesPerSecond int) bool {
	if bytesPerSecond <= 0 {
		_, err := io.Copy(struct{ io.Writer }{w}, from)
		return err == nil
	}
	const perSecond = 20 // pieces
	for {
		n, err := io.CopyN(struct{ io.Writer }{w}, from, int64(max(1, bytesPerSecond/perSecond)))
		if err == io.EOF {
			return true
		}
		if err != nil || n == 0 || http.NewResponseController(w).Flush() != nil || !sleep(ctx, time.Second/perSecond) {
			return false
		}
	}
}

// sleep waits; false means that ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
