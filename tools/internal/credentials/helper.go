package credentials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"rules_tf_mirror/tools/internal/once"
	"rules_tf_mirror/tools/internal/problem"
)

const (
	// helperTimeout ends a helper that waits for somebody who is not there. The tools have no limit.
	helperTimeout = 2 * time.Minute
	// helperGrace is how long output may be kept open by processes that the helper left behind.
	helperGrace = 2 * time.Second
	// helperOutput bounds what is read of a helper.
	helperOutput = 1 << 20
)

// HelperOptions configure a Helper; Name and Program are required.
type HelperOptions struct {
	Name    string   // for messages
	Program string   // path of the program; no shell, no search
	Args    []string // before the verb; may hold secrets
	Environ []string // the child's environment; nil is this process's
	Timeout time.Duration
}

// Helper asks a credentials helper program (R-CRED-10..14): `PROGRAM ARGS… get HOST` prints a JSON object whose string `token` counts.
//
// It runs once per host, whatever the outcome: a failing helper would fail again, and thirty providers of one host would make it fail thirty
// times (the tools run it again, R-CRED-13). Its standard input is empty and its standard error is dropped: a helper may print the token
// anywhere, and errors end in build logs.
type Helper struct {
	options HelperOptions
	known   once.Map[string, entry]
}

type entry struct {
	token Token
	ok    bool
}

// NewHelper returns a Helper that has not run yet.
func NewHelper(options HelperOptions) *Helper {
	if options.Timeout == 0 {
		options.Timeout = helperTimeout
	}
	return &Helper{options: options}
}

// ForHost returns the helper's answer for a host. An error is a *problem.Error of kind credentials and concerns this host alone (F31), or
// the cause of ctx's end.
func (h *Helper) ForHost(ctx context.Context, host string) (Token, bool, error) {
	answer, err := h.known.Do(ctx, host, func(ctx context.Context) (entry, error) { return h.ask(ctx, host) })
	return answer.token, answer.ok, err
}

func (h *Helper) ask(ctx context.Context, host string) (entry, error) {
	output, err := h.run(ctx, host)
	if err != nil {
		return entry{}, err
	}
	var answer map[string]any
	if err := json.Unmarshal(output, &answer); err != nil { // the cause would quote the output
		return entry{}, h.failure(host, "what it printed is not one JSON object")
	}
	text, ok := answer["token"].(string)
	token := NewToken(text, "the credentials helper "+h.options.Name)
	switch {
	case ok && text == "":
		token.note = fmt.Sprintf("the credentials helper %s was asked and answered with an empty token: store one for %s there", h.options.Name, host)
	case !ok && answer["token"] != nil:
		token.note = fmt.Sprintf("the credentials helper %s was asked, and the token in its answer is not a string: correct the helper, or set %s", h.options.Name, HowToSet(host))
	case !ok:
		token.note = fmt.Sprintf("the credentials helper %s was asked and has none for %s: store one there, or set %s", h.options.Name, host, HowToSet(host))
	}
	return entry{token, ok}, nil
}

// run runs the program and returns what it printed.
func (h *Helper) run(ctx context.Context, host string) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, h.options.Timeout)
	defer cancel()
	args := append(append([]string{}, h.options.Args...), "get", host)
	command := exec.CommandContext(limited, h.options.Program, args...)
	output := &bounded{overflow: cancel}
	command.Env, command.Stdout, command.WaitDelay = h.options.Environ, output, helperGrace
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case output.full:
		return nil, h.failure(host, fmt.Sprintf("it printed more than %d bytes", helperOutput))
	case limited.Err() != nil:
		return nil, h.failure(host, fmt.Sprintf("it did not end within %v; is it waiting for an answer?", h.options.Timeout))
	case errors.As(err, &exit):
		return nil, h.failure(host, "it ended with "+exit.ProcessState.String())
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // a child left behind does no harm
		return nil, h.failure(host, "it could not be started: "+err.Error())
	}
	return output.buffer.Bytes(), nil
}

// failure says what went wrong and how to see the rest.
func (h *Helper) failure(host, what string) error {
	arguments := ""
	if len(h.options.Args) > 0 {
		arguments = "ARGS "
	}
	return problem.New(problem.Credentials,
		"the credentials helper %s failed for host %s: %s; its output is not shown, because it may hold the token: see it by running %s %sget %s",
		h.options.Name, host, what, h.options.Program, arguments, host)
}

// bounded collects output up to a limit and then stops the program.
type bounded struct {
	buffer   bytes.Buffer
	full     bool
	overflow func()
}

// Write takes everything, so that the program meets no broken pipe before it is stopped.
func (b *bounded) Write(p []byte) (int, error) {
	if b.full || b.buffer.Len()+len(p) > helperOutput {
		b.full = true
		b.overflow()
		return len(p), nil
	}
	return b.buffer.Write(p)
}
