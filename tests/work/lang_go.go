// SPDX-License-Identifier: GPL-2.0-or-later

// lang_go SECONDS - Go call paths: a method's, a closure's, a goroutine's, a third of the time each.
package main

import (
	"os"
	"strconv"
	"time"
)

var sink uint32

//go:noinline
func spin(x uint32) uint32 {
	for i := 0; i < 2000000; i++ {
		x = x*1664525 + 1013904223
	}
	return x
}

type actor struct{ seed uint32 }

//go:noinline
func (a *actor) act() uint32 {
	return spin(a.seed) + 1
}

//go:noinline
func apply(f func(uint32) uint32) uint32 {
	return f(7) + 1
}

//go:noinline
func worker(in <-chan uint32, out chan<- uint32) {
	for x := range in {
		out <- spin(x)
	}
}

func main() {
	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		os.Exit(2)
	}
	in, out := make(chan uint32), make(chan uint32)
	go worker(in, out)
	a := &actor{3}
	until := time.Now().Add(time.Duration(seconds * 1e9))
	for time.Now().Before(until) {
		sink += a.act()
		sink += apply(func(x uint32) uint32 { return spin(x) + 1 })
		in <- 5
		sink += <-out
	}
}
