package registry

import "net/http"

// Auth is a credential: a bearer token, or user and password of HTTP basic authentication.
type Auth struct{ Token, User, Password string }

// ok tells whether the request carries the credential.
func (a Auth) ok(req *http.Request) bool {
	if a.Token != "" {
		return req.Header.Get("Authorization") == "Bearer "+a.Token
	}
	user, password, ok := req.BasicAuth()
	return ok && user == a.User && password == a.Password
}

// RequireToken answers 401 to version lists and download questions without this bearer token, and expects it (AuthorizationOK) at
// discovery, which stays open (R-CRED-15). An empty token ends it.
func (h *Host) RequireToken(token string) *Host {
	return h.RequireAuth(Auth{Token: token}, EndpointVersions, EndpointDownload)
}

// RequireBasic answers 401 to package requests without these credentials. An empty user ends it.
func (h *Host) RequireBasic(user, password string) *Host {
	return h.RequireAuth(Auth{User: user, Password: password}, EndpointZip)
}

// RequireAuth demands a credential at the endpoints; the zero Auth ends that.
func (h *Host) RequireAuth(a Auth, endpoints ...string) *Host {
	return h.set(func(k *hostKnobs) {
		for _, e := range endpoints {
			if a == (Auth{}) || a == (Auth{Password: a.Password}) {
				delete(k.required, e)
			} else {
				k.required[e] = a
			}
		}
	})
}

// ExpectAuth counts a credential as right (AuthorizationOK) without demanding it anywhere.
func (h *Host) ExpectAuth(a Auth) *Host {
	return h.set(func(k *hostKnobs) { k.expected = append(k.expected, a) })
}

// SetAuthStatus is the status for missing or wrong credentials, 401 unless set.
func (h *Host) SetAuthStatus(status int) *Host {
	return h.set(func(k *hostKnobs) { k.authStatus = status })
}

// authorized tells whether the request carries any credential that the host knows.
func (h *Host) authorized(req *http.Request) bool {
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	for _, a := range h.knobs.expected {
		if a.ok(req) {
			return true
		}
	}
	for _, a := range h.knobs.required {
		if a.ok(req) {
			return true
		}
	}
	return false
}

// checkAuth is the refusal of a request, nil if it may pass.
func (h *Host) checkAuth(endpoint string, req *http.Request) *answer {
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	a, demanded := h.knobs.required[endpoint]
	if !demanded || a.ok(req) {
		return nil
	}
	status := h.knobs.authStatus
	if status == 0 {
		status = http.StatusUnauthorized
	}
	refusal := errorAnswer(status, "credentials are missing or wrong")
	if status == http.StatusUnauthorized {
		scheme := "Bearer"
		if a.Token == "" {
			scheme = `Basic realm="packages"`
		}
		refusal.header.Set("WWW-Authenticate", scheme)
	}
	return refusal
}
