package credentials

// Withheld returns an entry without the secret; reason says why, after "no token was sent: ". Where there is no secret nothing changes.
func (t Token) Withheld(reason string) Token {
	if t.value == "" {
		return t
	}
	return Token{note: reason}
}
