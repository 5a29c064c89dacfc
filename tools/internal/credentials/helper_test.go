package credentials_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/problem"
)

// asHelper as first argument turns this test binary into a credentials helper, so that the tests need no shell: helperMain MODE LOG get HOST.
const asHelper = "act-as-credentials-helper"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asHelper {
		os.Exit(helperMain(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// helperMain behaves as the mode says and notes each call in the log.
func helperMain(args []string) int {
	mode, log, rest := args[0], args[1], args[2:]
	file, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 99
	}
	fmt.Fprintln(file, strings.Join(rest, " "))
	file.Close()
	switch mode {
	case "exit1":
		fmt.Fprintln(os.Stderr, "token: s3cret")
		return 1
	case "half": // a good answer, and a failure all the same
		fmt.Println(`{"token": "s3cret"}`)
		return 3
	case "noisy": // a good helper may say what it likes on its standard error
		fmt.Fprintln(os.Stderr, "using s3cret")
		fmt.Println(`{"token": "t0k"}`)
	case "stdin": // asks; the answer never comes
		answer, _ := io.ReadAll(os.Stdin)
		fmt.Printf(`{"token": "got %d bytes"}`, len(answer))
	case "huge":
		block := strings.Repeat("s3cret ", 1<<14)
		for {
			if _, err := fmt.Print(block); err != nil {
				return 4
			}
		}
	case "hang":
		fmt.Println("s3cret")
		time.Sleep(time.Hour)
	case "environ":
		fmt.Printf(`{"token": %q}`, os.Getenv("HELPER_TEST"))
	case "host":
		fmt.Printf(`{"token": "for %s"}`, rest[len(rest)-1])
	case "fails-for-a":
		if rest[len(rest)-1] == "a.example" {
			return 1
		}
		fmt.Print(`{"token": "good"}`)
	default:
		fmt.Print(mode)
	}
	return 0
}

// newHelper is a helper of the mode, and the log of its calls.
func newHelper(t *testing.T, mode string, more ...string) (options credentials.HelperOptions, calls func() []string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	options = credentials.HelperOptions{Name: "test", Program: program, Args: append([]string{asHelper, mode, log}, more...)}
	return options, func() []string {
		text, err := os.ReadFile(log)
		if err != nil {
			return nil
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

// TestHelper is R-CRED-11, R-CRED-12 and R-CRED-14, with good and hostile helpers (F31). No error holds what a helper printed.
func TestHelper(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, mode string
		token      string
		ok         bool
		err        string // in the error; empty: none
	}{
		{"token", `{"token": "t0k"}`, "t0k", true, ""},
		{"more settings", `{"token": "t0k", "user": "x"}` + "\n", "t0k", true, ""},
		{"none", `{}`, "", false, ""},
		{"null", `null`, "", false, ""},
		{"no string", `{"token": 5}`, "", false, ""},
		{"empty token ends the search", `{"token": ""}`, "", true, ""},
		{"host in punycode with port", "host", "for xn--bcher-kva.example:8443", true, ""},
		{"environment", "environ", "", true, ""},
		{"chatty", "noisy", "t0k", true, ""},
		{"asks on stdin", "stdin", "got 0 bytes", true, ""},
		{"exit 1", "exit1", "", false, "it ended with exit status 1"},
		{"exit 3 with an answer", "half", "", false, "it ended with exit status 3"},
		{"nothing", "", "", false, "not one JSON object"},
		{"junk", "s3cret", "", false, "not one JSON object"},
		{"array", `["s3cret"]`, "", false, "not one JSON object"},
		{"two objects", `{"token": "s3cret"}{}`, "", false, "not one JSON object"},
		{"cut off", `{"token": "s3cret`, "", false, "not one JSON object"},
		{"huge", "huge", "", false, "it printed more than 1048576 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			options, calls := newHelper(t, test.mode)
			helper := credentials.NewHelper(options)
			const host = "xn--bcher-kva.example:8443"
			for range 2 { // R-CRED-13, and failures too
				token, ok, err := helper.ForHost(context.Background(), host)
				if token.Reveal() != test.token || ok != test.ok || (err != nil) != (test.err != "") {
					t.Fatalf("ForHost = %q, %t, %v; want %q, %t, %q", token.Reveal(), ok, err, test.token, test.ok, test.err)
				}
				if ok && token.Origin() != "the credentials helper test" {
					t.Errorf("origin %q", token.Origin())
				}
				if err != nil {
					wantHelperError(t, err, test.err, "running "+options.Program+" ARGS get "+host)
				}
			}
			if got := calls(); len(got) != 1 || got[0] != "get "+host {
				t.Errorf("calls %q, want one", got)
			}
		})
	}
}

func wantHelperError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if problem.KindOf(err) != problem.Credentials {
		t.Errorf("kind %s of %v", problem.KindOf(err), err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if strings.Contains(cause.Error(), "s3cret") {
			t.Errorf("the error holds what the helper printed: %v", cause)
		}
	}
}

// TestHelperArguments: configured arguments come before the verb, as they are, and never into an error (R-CRED-11).
func TestHelperArguments(t *testing.T) {
	t.Parallel()
	options, calls := newHelper(t, "exit1", "--password=s3cret", "$HOME", "a b")
	_, _, err := credentials.NewHelper(options).ForHost(context.Background(), "a.example")
	wantHelperError(t, err, "host a.example")
	if got := calls(); len(got) != 1 || got[0] != "--password=s3cret $HOME a b get a.example" {
		t.Errorf("calls %q", got)
	}
}

// TestHelperEnvironment: the child sees the given environment only.
func TestHelperEnvironment(t *testing.T) {
	t.Parallel()
	options, _ := newHelper(t, "environ")
	options.Environ = append(os.Environ(), "HELPER_TEST=there")
	token, _, err := credentials.NewHelper(options).ForHost(context.Background(), "a.example")
	if err != nil || token.Reveal() != "there" {
		t.Errorf("token %q, %v", token.Reveal(), err)
	}
}

// TestHelperMissing: a program that cannot be started.
func TestHelperMissing(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "terraform-credentials-none")
	_, _, err := credentials.NewHelper(credentials.HelperOptions{Name: "none", Program: program}).ForHost(context.Background(), "a.example")
	if err == nil {
		t.Fatal("no error")
	}
	wantHelperError(t, err, "it could not be started", "running "+program+" get a.example")
}

// TestHelperHangs: a helper that never ends is stopped with the context, or at its time.
func TestHelperHangs(t *testing.T) {
	t.Parallel()
	options, calls := newHelper(t, "hang")
	stopped := errors.New("stopped from outside")
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		for calls() == nil { // until it runs
			time.Sleep(time.Millisecond)
		}
		cancel(stopped)
	}()
	if _, _, err := credentials.NewHelper(options).ForHost(ctx, "a.example"); !errors.Is(err, stopped) {
		t.Errorf("error %v, want the cause of the context's end", err)
	}
	options.Timeout = 20 * time.Millisecond
	_, _, err := credentials.NewHelper(options).ForHost(context.Background(), "a.example")
	if err == nil {
		t.Fatal("no error")
	}
	wantHelperError(t, err, "it did not end within 20ms")
}

// TestHelperOncePerHost: many providers of many hosts, one call per host; the failure of one host is not another's (F31, R-CRED-13).
func TestHelperOncePerHost(t *testing.T) {
	t.Parallel()
	options, calls := newHelper(t, "fails-for-a")
	helper := credentials.NewHelper(options)
	var group sync.WaitGroup
	for range 10 {
		for _, host := range []string{"a.example", "b.example"} {
			group.Go(func() {
				token, ok, err := helper.ForHost(context.Background(), host)
				if good := host == "b.example"; ok != good || (err == nil) != good || good && token.Reveal() != "good" {
					t.Errorf("%s: %q, %t, %v", host, token.Reveal(), ok, err)
				}
			})
		}
	}
	group.Wait()
	if got := calls(); len(got) != 2 {
		t.Errorf("calls %q, want one per host", got)
	}
}
