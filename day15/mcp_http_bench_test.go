package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// benchHandler answers each request with a small result.
func benchHandler(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m, _ := parseMessage(body)
	if m.Method == "initialize" {
		reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, agreedQuietly)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"content":[{"type":"text","text":"Roll: 5"}]}}`)
}

// BenchmarkHTTPFloor is what a call costs without any protocol: a POST whose answer is thrown away.
func BenchmarkHTTPFloor(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(benchHandler))
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		resp, err := http.Post(s.URL, "application/json", strings.NewReader(benchFrame))
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func BenchmarkHTTPCall(b *testing.B) {
	c := benchHTTP(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.callTool(b.Context(), "dice", nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHTTPCallParallel16(b *testing.B) {
	c := benchHTTP(b)
	b.SetParallelism(max(1, 16/runtime.GOMAXPROCS(0)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.callTool(b.Context(), "dice", nil, nil); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func benchHTTP(b *testing.B) *client {
	s := httptest.NewServer(http.HandlerFunc(benchHandler))
	b.Cleanup(s.Close)
	c, err := connect(b.Context(), peer{name: "demo", note: b.Logf}, limits{time.Minute, time.Minute}, "", func(p peer) (transport, error) {
		return openHTTP(remote{url: s.URL}, p)
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.close() })
	return c
}
