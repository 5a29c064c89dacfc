package signatures

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// header is what a signature packet says about itself. It is read apart from go-crypto, which passes over packets that it does not support
// without saying by whom they are. It serves messages and the refusal of weak digests, never acceptance.
type header struct {
	version     int
	digest      byte   // OpenPGP's number of the digest algorithm
	issuer      uint64 // key id, 0 if the packet names none
	fingerprint []byte // of the issuer, nil if the packet does not have it
}

// digestNames are the digest algorithms of RFC 9580, section 9.5.
var digestNames = map[byte]string{1: "MD5", 2: "SHA-1", 3: "RIPEMD-160", 8: "SHA-256", 9: "SHA-384", 10: "SHA-512", 11: "SHA-224", 12: "SHA3-256", 14: "SHA3-512"}

const (
	digestMD5       = 1
	digestSHA1      = 2
	digestRIPEMD160 = 3
)

func (h header) digestName() string {
	if name, ok := digestNames[h.digest]; ok {
		return name
	}
	return fmt.Sprintf("digest algorithm %d", h.digest)
}

// by names the issuer for messages.
func (h header) by() string {
	switch {
	case len(h.fingerprint) > 0:
		return fmt.Sprintf("%X", h.fingerprint)
	case h.issuer != 0:
		return fmt.Sprintf("%016X", h.issuer)
	default:
		return ""
	}
}

// readHeader reads the body of a signature packet as far as it goes. ok is false if it is too short to be one.
func readHeader(body []byte) (h header, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if len(body) < 6 {
		return header{}, false
	}
	h.version = int(body[0])
	switch h.version {
	case 2, 3: // RFC 4880, section 5.2.2: length 5, type, four octets of time, key id, key algorithm, digest algorithm
		if len(body) < 17 {
			return h, false
		}
		h.issuer = binary.BigEndian.Uint64(body[7:15])
		h.digest = body[16]
		return h, true
	case 4, 5, 6: // RFC 9580, section 5.2.3: type, key algorithm, digest algorithm, hashed and unhashed subpackets with their lengths
		h.digest = body[3]
		rest := body[4:]
		for range 2 {
			var area []byte
			if area, rest, ok = cutArea(rest, h.version == 6); !ok {
				return h, true
			}
			h.readArea(area)
		}
		return h, true
	default:
		return h, true
	}
}

func cutArea(data []byte, wide bool) (area, rest []byte, ok bool) {
	var length, skip int
	switch {
	case wide && len(data) >= 4:
		length, skip = int(binary.BigEndian.Uint32(data)), 4
	case !wide && len(data) >= 2:
		length, skip = int(binary.BigEndian.Uint16(data)), 2
	default:
		return nil, nil, false
	}
	if len(data)-skip < length {
		return nil, nil, false
	}
	return data[skip : skip+length], data[skip+length:], true
}

func (h *header) readArea(area []byte) {
	const issuerID, issuerFingerprint = 16, 33
	parts, _ := packet.OpaqueSubpackets(area)
	for _, part := range parts {
		switch content := part.Contents; {
		case part.SubType == issuerID && len(content) == 8:
			h.issuer = binary.BigEndian.Uint64(content)
		case part.SubType == issuerFingerprint && len(content) == 21:
			h.fingerprint = content[1:]
			if h.issuer == 0 {
				h.issuer = binary.BigEndian.Uint64(content[13:21])
			}
		case part.SubType == issuerFingerprint && len(content) == 33:
			h.fingerprint = content[1:]
			if h.issuer == 0 {
				h.issuer = binary.BigEndian.Uint64(content[1:9])
			}
		}
	}
}

// beginning returns the first characters of foreign bytes for a message.
func beginning(data []byte) string {
	text := strings.TrimSpace(string(data[:min(len(data), 40)]))
	if !utf8.ValidString(text) {
		return fmt.Sprintf("% X", data[:min(len(data), 12)])
	}
	return Printable(text)
}
