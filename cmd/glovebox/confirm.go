package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// yesFlag is --yes of a command that removes for good.
type yesFlag bool

func (y *yesFlag) register(f *pflag.FlagSet) {
	f.BoolVar((*bool)(y), "yes", false, "do not ask; needed where nobody can be asked")
}

// confirm asks the person at the terminal whether to go on. Where nobody sits, --yes has to have been said before.
func (a *app) confirm(ctx context.Context, yes yesFlag, command, question string) error {
	if yes {
		return nil
	}
	if !isTerminal(a.in) || !isTerminal(a.err) {
		return usage(command+" removes for good, and there is nobody to ask", "Give --yes to do it without being asked.")
	}
	fmt.Fprintf(a.err, "%s [y/N] ", readapi.EscapeLine(question))
	answer, err := bufio.NewReader(interruptible(ctx, a.in)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fileFailure(stdinName, err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return failed("", readapi.CodeCanceled, "nothing was removed", nil)
}
