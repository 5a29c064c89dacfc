package fetch

import (
	"context"
	"errors"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/problem"
)

// C05, C06: wrong bytes for one platform fail that platform with both hashes, and stay nowhere.
func TestWrongBytes(t *testing.T) {
	t.Parallel()
	for name, sink := range map[string]func(*bench, string) Sink{"cache": (*bench).cache, "mirror": (*bench).mirror} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.widget("1.4.0", "linux_amd64", "darwin_arm64").LieAbout("linux_amd64", fixture.Lie{WrongZip: true})
			dir := t.TempDir()
			report := b.run(request("linux_amd64 darwin_arm64", widget), sink(b, dir))
			wantStatus(t, report, "linux_amd64 failed checksum", "darwin_arm64 fetched")
			b.wantCounts(1, 2, 2)
			if report.Outcome() != Refused {
				t.Errorf("outcome %v, want Refused", report.Outcome())
			}
			message := report.Errors()[0]
			if strings.Count(message, "sha256 ")+strings.Count(message, "found ") < 2 || !strings.Contains(message, widget+" 1.4.0 linux_amd64") {
				t.Errorf("message %q", message)
			}
			if left := files(t, dir); strings.Contains(left, "linux_amd64") || strings.Contains(left, report.Rows[0].SHA256) || strings.Contains(left, "tmp") {
				t.Errorf("left behind:\n%s", left)
			}
		})
	}
}

// The registry says one hash, the facts another one: the recorded wins, and nothing else is accepted (C24).
func TestRecordedHashWins(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	v := b.widget("1.4.0", "linux_amd64")
	r := request("linux_amd64", widget+":1.4.0")
	recorded := strings.Repeat("ab", 32)
	b.fact(r, "package/"+widget+"/1.4.0/linux_amd64", `{"download_url": "`+v.URL("linux_amd64")+
		`", "filename": "terraform-provider-widget_1.4.0_linux_amd64.zip", "sha256": "`+recorded+`"}`)
	report := b.run(r, b.cache(t.TempDir()))
	wantStatus(t, report, "linux_amd64 failed checksum")
	if message := report.Errors()[0]; !strings.Contains(message, recorded) || !strings.Contains(message, v.SHA256("linux_amd64")) {
		t.Errorf("message %q lacks a hash", message)
	}
}

// One failing package, host or entry does not spoil the others, and the worst outcome counts.
func TestFailuresAreApart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64")
	b.reg.Host("dead.acme.dev").SetDown(true)
	missing := b.reg.Host(host).Provider("acme/gone").Version("1.0.0", []string{"linux_amd64"})
	b.reg.Host(host).Provider("acme/gone").Fail(fixture.EndpointZip, fixture.Fault{Status: 404})
	report := b.run(request("linux_amd64", "dead.acme.dev/a/b:1.0.0", "not an address", widget, host+"/acme/gone", widget+":9.9.9"), b.cache(t.TempDir()))
	wantStatus(t, report, "linux_amd64 failed network", "linux_amd64 failed address", "linux_amd64 fetched",
		"linux_amd64 failed not_found", "linux_amd64 failed platform")
	if report.Outcome() != Unreachable || len(report.Errors()) != 4 {
		t.Errorf("outcome %v, errors %q", report.Outcome(), report.Errors())
	}
	if text := report.Rows[3].Error.Message; !strings.Contains(text, missing.URL("linux_amd64")) || !strings.Contains(text, "the same address") {
		t.Errorf("message %q", text)
	}
}

// Outcomes by kind: 4 wins over 3, and 3 over 2 (design §3.3).
func TestOutcome(t *testing.T) {
	t.Parallel()
	rows := func(kinds ...problem.Kind) *Report {
		r := &Report{}
		for _, kind := range kinds {
			row := Row{Status: Failed, Error: nil}
			if kind != "" {
				row.Error = errorOf(kind)
			}
			r.Rows = append(r.Rows, row)
		}
		return r
	}
	for _, test := range []struct {
		kinds []problem.Kind
		want  Outcome
	}{
		{nil, Complete},
		{[]problem.Kind{""}, Complete},
		{[]problem.Kind{problem.Address}, BadInput},
		{[]problem.Kind{problem.Constraint, Local}, BadInput},
		{[]problem.Kind{problem.Address, problem.Network}, Unreachable},
		{[]problem.Kind{problem.Platform, problem.NotFound, problem.Unauthorized}, Unreachable},
		{[]problem.Kind{Checksum, problem.Network, problem.Address}, Refused},
		{[]problem.Kind{problem.Network, problem.ContentChanged}, Refused},
	} {
		if got := rows(test.kinds...).Outcome(); got != test.want {
			t.Errorf("%v: got %v, want %v", test.kinds, got, test.want)
		}
	}
}

// A platform that the registry lacks is a warning; a version without any platform a failure.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64")
	report := b.run(request("linux_amd64 windows_arm64", widget), b.cache(t.TempDir()))
	wantStatus(t, report, "linux_amd64 fetched")
	if len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0], "windows_arm64") || report.Outcome() != Complete {
		t.Errorf("warnings %q, outcome %v", report.Warnings, report.Outcome())
	}
	report = b.run(request("windows_arm64 windows_386", widget), b.cache(t.TempDir()))
	wantStatus(t, report, "windows_arm64 failed platform", "windows_386 failed platform")
	if report.Outcome() != Unreachable || len(report.Errors()) != 1 {
		t.Errorf("outcome %v, errors %q", report.Outcome(), report.Errors())
	}
	// Recorded as unavailable, everywhere.
	r := request("windows_arm64", widget+":1.4.0")
	b.fact(r, "package/"+widget+"/1.4.0/windows_arm64", `{"unavailable": true}`)
	b.reg.Reset()
	wantStatus(t, b.run(r, b.cache(t.TempDir())), "windows_arm64 failed platform")
	b.wantCounts(0, 0, 0)
}

// R-DL-2: a body that stays short is an error; B21: a compressed transfer is none; a slow start is retried.
func TestTransfers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault fixture.Fault
		first bool // only the first request fails
		want  string
		zips  int
	}{
		"short for ever":     {fixture.Fault{Truncate: true}, false, "linux_amd64 failed network", 3},
		"short once":         {fixture.Fault{Truncate: true}, true, "linux_amd64 fetched", 2},
		"dropped once":       {fixture.Fault{Drop: true}, true, "linux_amd64 fetched", 2},
		"503 once":           {fixture.Fault{Status: 503, RetryAfter: "1"}, true, "linux_amd64 fetched", 2},
		"gzip (B21)":         {fixture.Fault{Gzip: true}, false, "linux_amd64 fetched", 1},
		"web page with 200":  {fixture.Fault{Body: []byte("<html>"), ContentType: "text/html"}, false, "linux_amd64 failed checksum", 1},
		"login page for 401": {fixture.Fault{Status: 401}, false, "linux_amd64 failed unauthorized", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.widget("1.4.0", "linux_amd64").Zip("linux_amd64").Size(100_000)
			if test.first {
				b.reg.Host(zipHost).FailNext(fixture.EndpointZip, 1, test.fault)
			} else {
				b.reg.Host(zipHost).Fail(fixture.EndpointZip, test.fault)
			}
			wantStatus(t, b.run(request("linux_amd64", widget), b.cache(t.TempDir())), test.want)
			b.wantCounts(1, 1, test.zips)
		})
	}
}

// A stopped run returns the cause and leaves nothing.
func TestCancel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64").Zip("linux_amd64").Size(100_000)
	b.reg.Host(zipHost).Fail(fixture.EndpointZip, fixture.Fault{Hang: true})
	reason := errors.New("stopped by signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		_ = b.reg.WaitCount(t.Context(), fixture.Filter{Endpoint: fixture.EndpointZip}, 1)
		cancel(reason)
	}()
	dir := t.TempDir()
	if _, err := b.runContext(ctx, request("linux_amd64", widget), b.mirror(dir)); !errors.Is(err, reason) {
		t.Errorf("got %v, want the cause", err)
	}
	if left := files(t, dir); left != "" {
		t.Errorf("left behind:\n%s", left)
	}
}
