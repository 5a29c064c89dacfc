package registry

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// builtZip is a package on disk.
type builtZip struct {
	path   string
	size   int64
	sha256 string
}

// zipStore generates each package once and keeps it on disk, so that large ones cost no memory per request.
type zipStore struct {
	dir string

	mu    sync.Mutex
	built map[string]func() (builtZip, error)
}

func newZipStore(dir string) *zipStore {
	return &zipStore{dir: dir, built: map[string]func() (builtZip, error){}}
}

// build generates the package of a spec, or finds it. Requests for the same package wait for one generation.
func (s *zipStore) build(spec zipSpec) (builtZip, error) {
	key, err := spec.key()
	if err != nil {
		return builtZip{}, err
	}
	s.mu.Lock()
	once := s.built[key]
	if once == nil {
		once = sync.OnceValues(func() (builtZip, error) { return s.generate(key, spec) })
		s.built[key] = once
	}
	s.mu.Unlock()
	return once()
}

// key is a hash of everything that decides the bytes.
func (s zipSpec) key() (string, error) {
	if s.RawFile != "" {
		info, err := os.Stat(s.RawFile)
		if err != nil {
			return "", err
		}
		s.Seed += info.ModTime().String() + " " + info.Name()
		s.Files = []File{{Size: info.Size()}}
	}
	data, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

func (s *zipStore) generate(key string, spec zipSpec) (builtZip, error) {
	if spec.RawFile != "" {
		return hashFile(spec.RawFile)
	}
	path := filepath.Join(s.dir, key[:32]+".zip")
	if b, err := hashFile(path); err == nil {
		return b, nil // of an earlier run in the same directory
	}
	if err := mkdir(s.dir); err != nil {
		return builtZip{}, err
	}
	tmp, err := os.CreateTemp(s.dir, "new-*")
	if err != nil {
		return builtZip{}, err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	if spec.Raw != nil {
		_, err = tmp.Write(spec.Raw)
	} else {
		err = writeZip(tmp, spec)
	}
	if err == nil {
		err = tmp.Close()
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return builtZip{}, err
	}
	return hashFile(path)
}

func hashFile(path string) (builtZip, error) {
	f, err := os.Open(path)
	if err != nil {
		return builtZip{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return builtZip{path: path, size: n, sha256: hex.EncodeToString(h.Sum(nil))}, err
}

// msdosDate is 2020-01-01, the date of all entries.
const msdosDate = (2020-1980)<<9 | 1<<5 | 1

// writeZip writes the entries of a spec. Stored entries carry size and checksum in front of the data, so that readers that do not look at
// the central directory can read them too.
func writeZip(w io.Writer, spec zipSpec) error {
	zw := zip.NewWriter(w)
	for _, f := range spec.Files {
		header := &zip.FileHeader{Name: f.Name, Method: zip.Store}
		//lint:ignore SA1019 CreateRaw writes this field and not Modified
		header.ModifiedDate = msdosDate
		if !f.NoMode {
			header.SetMode(spec.mode(f))
		}
		if !isASCII(f.Name) {
			header.Flags |= 0x800 // the name is UTF-8
		}
		content := func() io.Reader { return f.reader(spec) }
		if f.Deflate {
			header.Method = zip.Deflate
			entry, err := zw.CreateHeader(header)
			if err != nil {
				return err
			}
			if _, err := io.Copy(entry, content()); err != nil {
				return err
			}
			continue
		}
		crc := crc32.NewIEEE()
		size, err := io.Copy(crc, content())
		if err != nil {
			return err
		}
		header.CRC32, header.UncompressedSize64, header.CompressedSize64 = crc.Sum32(), uint64(size), uint64(size)
		entry, err := zw.CreateRaw(header)
		if err != nil {
			return err
		}
		if _, err := io.Copy(entry, content()); err != nil {
			return err
		}
	}
	return zw.Close()
}

// mode is the mode of an entry with the defaults filled in.
func (s zipSpec) mode(f File) fs.FileMode {
	mode := f.Mode
	if m, ok := s.Modes[f.Name]; ok {
		mode = mode.Type() | m
	}
	switch isDir := strings.HasSuffix(f.Name, "/"); {
	case isDir && mode.Perm() == 0:
		return fs.ModeDir | 0o755
	case isDir:
		return fs.ModeDir | mode
	case mode == 0:
		return 0o644
	}
	return mode
}

// reader gives the content of an entry; each call gives the same bytes.
func (f File) reader(spec zipSpec) io.Reader {
	fill := max(0, f.Size-int64(len(f.Content)))
	seed := sha256.Sum256([]byte(spec.Seed + "\x00" + spec.Salt + "\x00" + f.Name))
	return io.MultiReader(bytes.NewReader(f.Content), io.LimitReader(rand.NewChaCha8(seed), fill))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}
