// Package xml looks through XML (XML 1.0, fifth edition) for what is to be said of it: its root, what it declares and refers to, and where
// it stops being well formed.
//
//	info, err := xml.Scan(next)
//
// Nothing is expanded and nothing is fetched: entities are counted, and what lies outside is named. Memory is bounded by the depth of the
// elements and by what is kept of one tag.
package xml
