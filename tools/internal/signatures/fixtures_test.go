package signatures_test

import (
	"testing"

	"rules_tf_mirror/tests/trustfixtures"
	"rules_tf_mirror/tools/internal/signatures"
)

// signatureKinds are the kinds of this package; fixtures with another kind have a good signature and fail later.
var signatureKinds = map[signatures.Kind]bool{
	signatures.NoKeys: true, signatures.UnreadableKey: true, signatures.SecretKey: true, signatures.NoSelfSignature: true,
	signatures.NoCrossSignature: true, signatures.LaterBlock: true, signatures.NotForSigning: true, signatures.EmptySignature: true,
	signatures.Armored: true, signatures.Malformed: true, signatures.Unsupported: true, signatures.WeakDigest: true, signatures.WeakKey: true,
	signatures.UnknownIssuer: true, signatures.WrongKey: true, signatures.Tampered: true, signatures.RevokedKey: true,
	signatures.RevokedSubkey: true, signatures.ExpiredSignature: true, signatures.FutureSignature: true, signatures.FutureKey: true,
	signatures.OlderThanKey: true,
}

func verify(fixture trustfixtures.Fixture, options signatures.Options) signatures.Result {
	if options.Now.IsZero() {
		options.Now = trustfixtures.Now
	}
	return signatures.ParseKeys(fixture.Armors()).Verify([]byte(*fixture.Sums), fixture.Signature, options)
}

// Every fixture has exactly the kind of defect that its maker says.
func TestFixtures(t *testing.T) {
	t.Parallel()
	for _, fixture := range trustfixtures.All() {
		t.Run(fixture.Name, func(t *testing.T) {
			t.Parallel()
			if fixture.Sums == nil || fixture.Signature == nil {
				return // trust looks at these before a signature is verified
			}
			result := verify(fixture, signatures.Options{})
			want := signatures.Kind(fixture.Kind)
			if !signatureKinds[want] {
				if err := result.Err(); err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			if len(result.Good) > 0 || len(result.Defects) == 0 {
				t.Fatalf("accepted: %+v", result.Good)
			}
			if got := result.Defects[0]; got.Kind != want {
				t.Errorf("kind %s, want %s: %v", got.Kind, want, got)
			}
			t.Log(result.Err())
		})
	}
}
