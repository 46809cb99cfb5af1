// Package ccitt decodes fax data: Group 3 in one and two dimensions, and Group 4 (ITU-T T.4 and T.6).
//
//	rows, n := ccitt.Decode(data, ccitt.Params{K: -1, Columns: 1728}, 2200)
//
// golang.org/x/image/ccitt has no Group 3 in two dimensions, asks for end-of-line codes that PDF and TIFF may leave out, and ends at the first code
// that is damaged; a scan with a damaged row is still a scan.
package ccitt
