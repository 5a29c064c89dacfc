package registry

import (
	"bytes"
	"crypto"
	"crypto/md5"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha1" // SHA-1 signatures exist in the world, so tests need some
	_ "crypto/sha512"
	"encoding/binary"
	"fmt"
	"math/bits"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// signMD5 makes a version 4 signature with an MD5 digest (RFC 9580, 5.2.3), which the OpenPGP library refuses to write, so that tests can
// show that ours refuses to read it. RSA only.
func signMD5(signer *packet.PrivateKey, data []byte, at time.Time) ([]byte, error) {
	key, ok := signer.PrivateKey.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("registry: MD5 signatures need an RSA key, found %T", signer.PrivateKey)
	}
	hashed := binary.BigEndian.AppendUint32([]byte{5, 2}, uint32(at.Unix())) // creation time
	hashed = append(hashed, 22, 33, 4)                                       // issuer fingerprint
	hashed = append(hashed, signer.Fingerprint...)
	head := []byte{4, byte(packet.SigTypeBinary), byte(packet.PubKeyAlgoRSA), 1}
	head = binary.BigEndian.AppendUint16(head, uint16(len(hashed)))
	head = append(head, hashed...)
	trailer := binary.BigEndian.AppendUint32([]byte{4, 0xff}, uint32(len(head)))
	digest := md5.Sum(bytes.Join([][]byte{data, head, trailer}, nil))
	number, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.MD5, digest[:])
	if err != nil {
		return nil, err
	}
	number = bytes.TrimLeft(number, "\x00")
	size := len(number)*8 - bits.LeadingZeros8(number[0])
	body := append(head, 0, 10, 9, 16) // 10 bytes of unhashed data: the issuer key id
	body = binary.BigEndian.AppendUint64(body, signer.KeyId)
	body = append(body, digest[0], digest[1])
	body = binary.BigEndian.AppendUint16(body, uint16(size))
	body = append(body, number...)
	out := append([]byte{0xc0 | 2, 0xff}, binary.BigEndian.AppendUint32(nil, uint32(len(body)))...)
	return append(out, body...), nil
}
