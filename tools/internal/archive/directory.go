package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// The records of a zip's table of contents.
const (
	endSignature    = "PK\x05\x06"
	endSize         = 22
	headerSignature = "PK\x01\x02"
	headerSize      = 46

	// tailSize holds the end record with the longest comment.
	tailSize = endSize + 1<<16

	// maxDirectory holds 100 000 entries with names of 280 bytes.
	maxDirectory = 32 << 20
)

// checkDirectory reads the table of contents by the rules of tf/private/zip_directory.bzl, which must refuse whatever Bazel and others
// could understand in two ways: the end record ends the file, the table is in front of it, nothing is zip64 or of several parts. A
// package that one refuses and the other unpacks would be no pin. The result says what is wrong, or is "". A file without end record is
// none of its business.
func checkDirectory(r io.ReaderAt, size int64) (string, error) {
	tail := make([]byte, min(size, tailSize))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return "", err
	}
	i := bytes.LastIndex(tail, []byte(endSignature))
	if i < 0 {
		return "", nil
	}
	end := tail[i:]
	if len(end) < endSize || int(binary.LittleEndian.Uint16(end[20:])) != len(end)-endSize {
		return "there is something behind the end of the zip, or the zip is cut off", nil
	}
	count, length, offset := binary.LittleEndian.Uint16(end[10:]), binary.LittleEndian.Uint32(end[12:]), binary.LittleEndian.Uint32(end[16:])
	endOffset := size - int64(len(end))
	switch {
	case count == 0xffff || length == 0xffffffff || offset == 0xffffffff:
		return "it is a zip64 file, which is for packages of 4 GiB and more", nil
	case binary.LittleEndian.Uint32(end[4:]) != 0 || binary.LittleEndian.Uint16(end[8:]) != count:
		return "it is one of several parts of a zip", nil
	case int64(offset)+int64(length) != endOffset:
		return "the table of contents is not where the end of the zip says it is", nil
	case length > maxDirectory:
		return fmt.Sprintf("its table of contents has %d bytes, at most %d are read", length, maxDirectory), nil
	}
	directory := make([]byte, length)
	if _, err := r.ReadAt(directory, int64(offset)); err != nil && err != io.EOF {
		return "", err
	}
	return checkHeaders(directory, int(count), int64(offset)), nil
}

// checkHeaders wants exactly count entries in a table of contents that begins at offset.
func checkHeaders(directory []byte, count int, offset int64) string {
	for range count {
		if len(directory) < headerSize || string(directory[:4]) != headerSignature {
			return "its table of contents is damaged"
		}
		next := headerSize
		for _, at := range []int{28, 30, 32} { // name, extra fields, comment
			next += int(binary.LittleEndian.Uint16(directory[at:]))
		}
		if next > len(directory) || binary.LittleEndian.Uint16(directory[34:]) != 0 {
			return "its table of contents is damaged"
		}
		packed, unpacked, local := binary.LittleEndian.Uint32(directory[20:]), binary.LittleEndian.Uint32(directory[24:]), binary.LittleEndian.Uint32(directory[42:])
		if packed == 0xffffffff || unpacked == 0xffffffff || local == 0xffffffff {
			return "it has zip64 entries, which are for files of 4 GiB and more"
		}
		if int64(local)+int64(packed) > offset {
			return "its table of contents says that an entry is where no entry can be"
		}
		directory = directory[next:]
	}
	if len(directory) > 0 {
		return "its table of contents has another number of entries than the end of the zip says"
	}
	return ""
}
