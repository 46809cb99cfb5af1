//go:build !linux

package main

import "errors"

func mkfifo(string) error { return errors.New("no FIFO here") }

func onTerminal(string, []string, []string, string) (string, error) {
	return "", errors.New("no terminal here")
}
