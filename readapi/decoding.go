package readapi

// Decoding is one decode, as a host asks for it.
type Decoding struct {
	Input   Input
	Request Request
	Limits  Limits

	// Party is on whose behalf the decode is: parties take turns, however much one of them asks for. It is compared and never shown; "" is
	// a party like any other.
	Party string

	// SHA256 waits for the digest of Input's bytes, in lower-case hex, and returns "" when it cannot be had. nil: it is not known.
	SHA256 func() string
}
