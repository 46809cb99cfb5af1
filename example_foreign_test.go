package glovebox_test

import (
	"context"
	"fmt"
	"os"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
)

// withForeign opens a reader with a decoder that nobody vouches for. helper is the command line of a program that serves as helper, such as
// "glovebox helper".
func withForeign(ctx context.Context, wasm []byte, helper []string) error {
	decoder, err := plugins.FromModule(ctx, wasm, &plugins.ModuleOptions{Helper: helper})
	if err != nil {
		return err // module_refused, and which rule
	}
	reader, err := glovebox.NewReader(&glovebox.Options{
		Decoders:  []plugins.Decoder{decoder}, // asked behind the built-in ones
		Order:     []string{decoder.Name},     // or before them
		Helper:    helper,
		Isolation: glovebox.IsolationProcess,
	})
	if err != nil {
		return err
	}
	defer reader.Close()
	for _, d := range reader.Decoders() {
		fmt.Println(d.Name)
	}
	return nil
}

func ExampleOptions_foreign() {
	self, err := os.Executable() // which is a helper too, because its main calls helper.Main
	if err == nil {
		err = withForeign(context.Background(), hostiletest.PuppetNamed("stranger"), []string{self, "helper"})
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// stranger
	// pdf
	// image
	// text
}
