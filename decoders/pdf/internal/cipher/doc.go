// Package cipher has what PDF's standard security handler needs (ISO 32000-2, 7.6): MD5, RC4, AES in CBC mode and SHA-2, each for data that lie
// in memory, and only to read what a password opens: nothing here keeps a secret from somebody who measures time.
//
// Go's own would be the better choice anywhere else. In a guest they bring the modules and self-tests of FIPS 140 along, and with them the
// operating system: several hundred kilobytes for four functions. Tests compare the two and run the published vectors.
package cipher
