package registry

import (
	"encoding/json"
	"net/http"
)

// adminHandler is the administration, for scripts that drive a registry of another process:
//
//	GET  /log            all requests, a JSON array of Request
//	GET  /counts         numbers of requests by endpoint
//	POST /reset          forget the log
//	POST /expire         end all ephemeral URLs
//	POST /hosts/<host>   change a host; the body is a HostConfig, what it leaves out stays as it is
func (r *Registry) adminHandler() http.Handler {
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // a client that went away needs no answer
	}
	mux.HandleFunc("GET /log", func(w http.ResponseWriter, _ *http.Request) { reply(w, r.Requests()) })
	mux.HandleFunc("GET /counts", func(w http.ResponseWriter, _ *http.Request) { reply(w, r.Counts()) })
	mux.HandleFunc("POST /reset", func(w http.ResponseWriter, _ *http.Request) {
		r.Reset()
		reply(w, map[string]bool{"ok": true})
	})
	mux.HandleFunc("POST /expire", func(w http.ResponseWriter, _ *http.Request) {
		r.ExpireURLs()
		reply(w, map[string]bool{"ok": true})
	})
	mux.HandleFunc("POST /hosts/{host}", func(w http.ResponseWriter, req *http.Request) {
		var c HostConfig
		if err := decodeStrict(req.Body, &c); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := c.apply(r.Host(req.PathValue("host"))); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply(w, map[string]bool{"ok": true})
	})
	return mux
}
