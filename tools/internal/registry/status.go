package registry

import (
	"encoding/json"
	"net/http"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/transport"
)

// maxServerText is the number of characters of a server's own words that a message repeats.
const maxServerText = 200

// statusError makes the error for a status other than 200 and 404; 429 and 5xx ended in the transport (R-REG status table).
func statusError(p addrs.Provider, a *answer, token credentials.Token) error {
	said := ServerText(a.Body, token.Reveal())
	status := transport.StatusText(a.Status)
	switch a.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return problem.New(problem.Unauthorized, "host %s answers %s to %s; %s%s",
			p.DisplayHost(), status, a.endpoint, credentials.Explain(p.Host, token, a.TokenSent), said)
	default:
		return problem.New(problem.Response, "host %s answers %s to %s; 200 is wanted%s", p.DisplayHost(), status, a.endpoint, said)
	}
}

// ServerText returns a server's explanation as the end of a sentence, made fit for a message, or nothing.
func ServerText(body []byte, token string) string {
	if text := serverText(body, token); text != "" {
		return "; the server says: " + text
	}
	return ""
}

// serverText makes a server's explanation fit for a message: one line of plain text, at most maxServerText characters, and never the
// token, should the server repeat it. A page of HTML explains nothing.
func serverText(body []byte, token string) string {
	text := string(body)
	var object struct {
		Errors  []string `json:"errors"`
		Message string   `json:"message"`
	}
	if json.Unmarshal(body, &object) == nil {
		switch {
		case len(object.Errors) > 0:
			text = strings.Join(object.Errors, "; ")
		case object.Message != "":
			text = object.Message
		}
	}
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		return ""
	}
	var secrets foreign.Secrets
	secrets.Add(token)
	text = strings.Join(strings.Fields(foreign.Line(secrets.Remove(text))), " ")
	text = secrets.Remove(text) // white space or control characters may have hidden it
	return foreign.Short(text, maxServerText)
}
