// Command skipped reads files of `go test -json` events and prints one line that names every skipped test with its reason, or says
// that nothing was skipped. --also adds something that was skipped as a whole.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("skipped: ")
	also := flag.String("also", "", "something else that was skipped, with the reason")
	flag.Parse()

	var skipped []string
	if *also != "" {
		skipped = append(skipped, *also)
	}
	for _, name := range flag.Args() {
		file, err := os.Open(name)
		if err != nil {
			log.Fatal(err)
		}
		found, err := skips(file)
		file.Close()
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		skipped = append(skipped, found...)
	}
	if len(skipped) == 0 {
		fmt.Println("Skipped: nothing.")
		return
	}
	fmt.Printf("Skipped: %s.\n", strings.Join(skipped, "; "))
}
