//go:build !unix

package wholefile

// syncDir does nothing: a directory cannot be opened for flushing here.
func syncDir(string) error { return nil }
