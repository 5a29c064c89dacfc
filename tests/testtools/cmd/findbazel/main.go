// Command findbazel prints the path of the Bazel that tests and the quickstart use, or says on stderr why there is none and exits
// with 1.
package main

import (
	"context"
	"fmt"
	"os"

	"rules_tf_mirror/tests/testtools"
)

func main() {
	path, err := testtools.Bazel(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(path)
}
