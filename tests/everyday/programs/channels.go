// Go: goroutines, and a web server on localhost with its client.
// run: bash -c 'GOCACHE=/tmp/go GOFLAGS=-mod=mod go run channels.go'
// needs: golang-go
// loopback
// limits: {memory: 2Gi, cpuTime: 300s, pids: 256, fsBytes: 2Gi, openFiles: 4096}
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
)

func main() {
	numbers := make(chan int)
	for i := 0; i < 100; i++ {
		go func(n int) { numbers <- n }(i)
	}
	sum := 0
	for i := 0; i < 100; i++ {
		sum += <-numbers
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hi") }))
	answer, err := http.Get("http://" + listener.Addr().String())
	if err != nil {
		panic(err)
	}
	text, _ := io.ReadAll(answer.Body)
	fmt.Println(sum, runtime.NumCPU())
	if sum == 4950 && string(text) == "hi" {
		fmt.Println("ok")
	}
}
