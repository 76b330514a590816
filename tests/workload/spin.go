// SPDX-License-Identifier: GPL-2.0-only
// The workload of spin.c in Go: three functions do 50, 30 and 20 % of the work, for the given seconds.
package main

import (
	"os"
	"strconv"
	"time"
)

var sink uint64

//go:noinline
func hot(n int) {
	for i := 0; i < n; i++ {
		sink = sink*6364136223846793005 + 1
	}
}

//go:noinline
func warm(n int) {
	for i := 0; i < n; i++ {
		sink = sink*6364136223846793005 + 3
	}
}

//go:noinline
func mild(n int) {
	for i := 0; i < n; i++ {
		sink = sink*6364136223846793005 + 5
	}
}

func main() {
	seconds, _ := strconv.Atoi(os.Args[1])
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	for time.Now().Before(end) {
		hot(500000)
		warm(300000)
		mild(200000)
	}
}
