// Package object finds the objects of a PDF, sound or not, and gives each as a Node, decrypted and with its references followed.
//
// The cross-references are read where they can be; an object that is not where they say is searched for, and a file that leads nowhere
// is searched as a whole (rebuild.go). Nothing is allocated by a number that a file declares, no walk goes anywhere twice, and work is
// counted (budget.go).
package object
