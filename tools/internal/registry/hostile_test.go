package registry_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
)

// A list that is longer than any real one is refused before it has become objects. Not parallel, because it looks at the memory of the process.
func TestLongList(t *testing.T) {
	body := []byte(`{"versions":[` + strings.Repeat("{},", 5_000_000) + `{"version":"1.0.0"}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := registry.ParseVersions(body)
	runtime.ReadMemStats(&after)
	if problem.KindOf(err) != problem.Response || !strings.Contains(fmt.Sprint(err), "a list of more than 20000 versions") {
		t.Errorf("error %v", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
		t.Errorf("%d MiB were allocated for it", used>>20)
	}
	if list, err := registry.ParseVersions([]byte(`{"versions":[` + strings.Repeat("{},", 19_999) + `{"version":"1.0.0"}]}`)); err != nil || len(list.Versions) != 20_000 {
		t.Errorf("the longest list: %v", err)
	}
}

// One element cannot be long, and of warnings only the first few are repeated, shortened.
func TestLongElements(t *testing.T) {
	t.Parallel()
	list, err := registry.ParseVersions([]byte(`{"versions":[{"version":"1.0.0","protocols":["` + strings.Repeat("5", 70_000) + `"]},{"version":"1.1.0"}],
		"warnings":[` + strings.Repeat(`"`+strings.Repeat("w", 900)+`",`, 200) + `"last"]}`))
	if err != nil || len(list.Versions) != 2 || utf8.RuneCountInString(list.Versions[0].Version) > 61 || list.Versions[1].Version != "1.1.0" {
		t.Fatalf("%v, %v", list, err)
	}
	if len(list.Warnings) != 6 || len(list.Warnings[0]) > 410 || list.Warnings[5] != "and 196 more warnings of the registry" {
		t.Errorf("%d warnings, the last is %q", len(list.Warnings), list.Warnings[len(list.Warnings)-1])
	}
	list, err = registry.ParseVersions([]byte(`{"versions":[],"warnings":[` + strings.Repeat(`"",`, 200_000) + `""]}`))
	if err != nil || len(list.Warnings) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

// Compressed answers are bounded by what they become: a few KiB on the wire are not read as gigabytes.
func TestGzipBomb(t *testing.T) {
	t.Parallel()
	bomb := func(size int) fixture.Fault {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		zeros := make([]byte, 1<<20)
		for range size >> 20 {
			_, _ = w.Write(zeros)
		}
		_ = w.Close()
		return fixture.Fault{Body: b.Bytes(), ContentType: "application/json", Header: http.Header{"Content-Encoding": {"gzip"}}}
	}
	for endpoint, size := range map[string]int{fixture.EndpointVersions: 17 << 20, fixture.EndpointDownload: 5 << 20} {
		t.Run(endpoint, func(t *testing.T) {
			t.Parallel()
			reg, h, _ := newRegistry(t)
			h.Fail(endpoint, bomb(size))
			client := newClient(reg)
			_, err := client.Versions(t.Context(), widget)
			if endpoint == fixture.EndpointDownload {
				_, err = client.Download(t.Context(), widget, "1.4.0", platforms.Platform{OS: "linux", Arch: "amd64"})
			}
			if problem.KindOf(err) != problem.Network || !strings.Contains(fmt.Sprint(err), "the answer is longer than") {
				t.Errorf("error %v", err)
			}
		})
	}
}
