package archive

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tests/starlark/fakebazel"
)

const moduleRoot = "../../.."

// bazelVerdict is what tf/private says of an archive before Bazel unpacks it: what is wrong, or "".
func bazelVerdict(t testing.TB, interpreter *fakebazel.Interpreter, content []byte, opts Options) string {
	t.Helper()
	value, err := interpreter.Call("//tf/private:zip_directory.bzl", "read_zip_directory", string(content), len(content))
	if err != nil {
		t.Fatal(err)
	}
	directory := fakebazel.ToGo(value).(fakebazel.Struct)
	if problem, ok := directory["problem"].(string); ok {
		if problem != "" {
			return problem
		}
		value, err := interpreter.Call("//tf/private:zip_directory.bzl", "describe_other", string(content[:min(len(content), 512)]))
		if err != nil {
			t.Fatal(err)
		}
		return fakebazel.ToGo(value).(string)
	}
	value, err = interpreter.Call("//tf/private:zip_entries.bzl", "judge_entries", directory["entries"], len(content), opts.windows(), opts.foldCase())
	if err != nil {
		t.Fatal(err)
	}
	problem, _ := fakebazel.ToGo(value).(fakebazel.Struct)["problem"].(string)
	return problem
}

// ourVerdict is what Unzip says before it writes anything.
func ourVerdict(t testing.TB, content []byte, opts Options) error {
	t.Helper()
	reader, size, err := open(writeArchive(t, content))
	if err != nil {
		return err
	}
	defer reader.Close()
	opts.ProviderType = ""
	if _, problem := newPlan(&reader.Reader, size, opts); problem != nil {
		return problem
	}
	return nil
}

// What Bazel unpacks and what `tfmirror fetch` unpacks are the same packages: else a package that one of them made would be none for
// the other. Every hostile archive is refused by both.
func TestBazelRefusesTheSame(t *testing.T) {
	t.Parallel()
	elsewhere := map[string]string{
		"wrong CRC":          "Starlark cannot inflate; the archive's own hash was checked",
		"no provider":        "looked for after unpacking",
		"accents, macOS":     "Starlark does not compose characters",
		"too many entries":   "the limits of the test are not the real ones",
		"too large":          "the limits of the test are not the real ones",
		"too large together": "the limits of the test are not the real ones",
	}
	for _, test := range hostileArchives(t) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			problem := bazelVerdict(t, fakebazel.NewInterpreter(moduleRoot), test.bytes, test.opts)
			if reason := elsewhere[test.name]; reason == "" && problem == "" {
				t.Error("Bazel would unpack it")
			} else if reason != "" && problem != "" {
				t.Errorf("Bazel refuses it too: %s; the exception %q is out of date", problem, reason)
			}
		})
	}
}

// Archives that are odd and harmless, or odd in their structure, have the same verdict on both sides.
func TestBazelJudgesTheSame(t *testing.T) {
	t.Parallel()
	good := buildZip(t, entry{name: provider, content: "x"}, entry{name: "docs/a", content: "y"})
	attributes := func(creator uint16, external uint32, name, content string) []byte {
		return buildZip(t, entry{name: "a", content: "x"}, entry{name: name, edit: raw(content, func(h *zip.FileHeader) {
			h.CreatorVersion, h.ExternalAttrs = creator, external
		})})
	}
	const fat, unix = 0, 3 << 8
	commented := bytes.Clone(good)
	commented[len(commented)-2] = 7
	commented = append(commented, "comment"...)
	nested := buildZip(t, entry{name: "a", edit: raw(string(good), func(*zip.FileHeader) {})})
	for _, test := range []struct {
		name  string
		bytes []byte
		ok    bool
	}{
		{"good", good, true},
		{"zip in a zip", nested, true},
		{"comment", commented, true},
		{"comment with an end record", append(append(bytes.Clone(good[:len(good)-2]), 22, 0), good[len(good)-22:]...), false},
		{"behind the end", append(bytes.Clone(good), 'x'), false},
		{"before the beginning", append([]byte("#!/bin/sh\n"), good...), false},
		{"two zips", append(bytes.Clone(nested), good...), false},
		{"link", buildZip(t, entry{name: "a", content: "/etc/passwd", mode: fs.ModeSymlink | 0o777}), true},
		{"link with a slash", attributes(unix, 0o120777<<16, "b/", ""), false},
		{"link above a file", buildZip(t, entry{name: "a", content: "/", mode: fs.ModeSymlink | 0o777}, entry{name: "a/b"}), false},
		{"pipe", attributes(unix, 0o010644<<16, "b", ""), false},
		{"pipe by FAT", attributes(fat, 0o010644<<16, "b", ""), false},
		{"socket", attributes(unix, 0o140644<<16, "b", ""), false},
		{"block device", attributes(unix, 0o060644<<16, "b", ""), false},
		{"unknown type", attributes(unix, 0o170644<<16, "b", ""), false},
		{"mode without type", attributes(unix, 0o644<<16, "b", "x"), true},
		{"folder without slash", attributes(unix, 0o040755<<16, "b", ""), true},
		{"folder without slash, with content", attributes(unix, 0o040755<<16, "b", "x"), false},
		{"FAT folder without slash", attributes(fat, 0x10, "b", ""), true},
		{"FAT folder without slash, with content", attributes(fat, 0x10, "b", "x"), false},
		{"FAT read-only", attributes(fat, 1, "b", "x"), true},
		{"file mode with a slash", attributes(unix, 0o100644<<16, "b/", ""), true},
		{"setuid", attributes(unix, 0o104755<<16, "b", "x"), true},
		{"invalid UTF-8", buildZip(t, entry{name: "a\xff\xfe", content: "x"}), true},
		{"tab", buildZip(t, entry{name: "a\tb", content: "x"}), false},
		{"case on Linux", buildZip(t, entry{name: "a"}, entry{name: "A"}), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opts := Options{GOOS: "linux"}
			theirs, ours := bazelVerdict(t, fakebazel.NewInterpreter(moduleRoot), test.bytes, opts), ourVerdict(t, test.bytes, opts)
			if (theirs == "") != test.ok || (ours == nil) != test.ok {
				t.Errorf("Bazel: %q, we: %v; want ok %v", theirs, ours, test.ok)
			}
		})
	}
}

// Whatever name an entry has, both say the same, on each system.
func TestNamesAreTheSameForBazel(t *testing.T) {
	t.Parallel()
	names := []string{
		"", "a", "a/", "./", ".", "./.", "..", "...", "a/..", "..a", `..\a`, `a\..`, `a\b`, "/a", "//", "c:", "c:a", "1:a", "ab:c", "a\x00", "a\x7f", "a\u0085",
		"a?", "a*", "a.", "a ", "a /b", "aux", "AUX.txt", "aux .x", "auxx", "com1", "COM0.a", "com", "lpt9", "conin$", "bücher", "~", "-rf", "a//b", "a/./b",
		strings.Repeat("a/", 512), strings.Repeat("a/", 512) + "a",
	}
	for _, windows := range []bool{false, true} {
		for _, name := range names {
			path, problem := cleanName(name, windows)
			value, err := fakebazel.NewInterpreter(moduleRoot).Call("//tf/private:zip_entries.bzl", "clean_name", name, windows)
			if err != nil {
				t.Fatal(err)
			}
			var want any = path
			if problem != "" {
				want = nil
			}
			if got := fakebazel.ToGo(value).([]any); got[0] != want || (got[1] == nil) != (problem == "") {
				t.Errorf("%q, Windows %v: Bazel %v, we %q, %s", name, windows, got, path, problem)
			}
		}
	}
}

// Many entries with names as long as they may be: what a hostile zip costs grows with its size and not faster.
func TestLargeDirectoriesAreJudged(t *testing.T) {
	t.Parallel()
	var deep []entry
	for i := range 2000 {
		deep = append(deep, entry{name: strings.Repeat("d/", 400) + strings.Repeat("x", i%200) + string(rune('a'+i/200)), content: "x"})
	}
	content, opts := buildZip(t, deep...), Options{GOOS: "linux"}
	if theirs, ours := bazelVerdict(t, fakebazel.NewInterpreter(moduleRoot), content, opts), ourVerdict(t, content, opts); theirs != "" || ours != nil {
		t.Errorf("Bazel %q, we %v", theirs, ours)
	}
}

// A zip with one byte changed is refused by both or by neither, wherever the byte is in the table of contents.
func TestDamageIsTheSameForBazel(t *testing.T) {
	t.Parallel()
	good := buildZip(t, entry{name: "a", content: "x"}, entry{name: "d/"}, entry{name: "d/l", content: "y", mode: fs.ModeSymlink | 0o777})
	start := bytes.Index(good, []byte(headerSignature))
	interpreter := fakebazel.NewInterpreter(moduleRoot)
	for i := start; i < len(good); i++ {
		for _, b := range slices.Compact([]byte{0, 1, 0x10, 0x2f, 0x80, 0xff, good[i] + 1, good[i] ^ 0x40}) {
			changed := bytes.Clone(good)
			changed[i] = b
			theirs, ours := bazelVerdict(t, interpreter, changed, Options{GOOS: "linux"}), ourVerdict(t, changed, Options{GOOS: "linux"})
			if (theirs == "") != (ours == nil) {
				t.Errorf("byte %d of %d is %#x: Bazel %q, we %v", i-start, len(good)-start, b, theirs, ours)
			}
		}
	}
}
