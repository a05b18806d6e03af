package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// webServer answers like several kinds of pages. Its address is one of this machine.
func webServer(t *testing.T) *httptest.Server {
	t.Helper()
	page := func(contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{contentType}
			if contentType == "" {
				w.Header()["Content-Type"] = nil
			}
			io.WriteString(w, body)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/page", page("Text/HTML; charset=utf-8", "<title>Title</title><p>Text &amp; more"))
	mux.Handle("/untitled", page("text/html", "<p>Text"))
	mux.Handle("/unlabelled", page("", "<!DOCTYPE html><p>Text"))
	mux.Handle("/json", page("application/json", `{"a":"<b>"}`))
	mux.Handle("/plain", page("text/plain", "caf\xe9 <b>"))
	mux.Handle("/image", page("image/gif", "GIF89a"))
	mux.Handle("/binary", page("text/plain", "a\x00b"))
	mux.Handle("/large", page("text/plain", strings.Repeat("x", maxFetched+1)))
	mux.Handle("/exact", page("text/plain", strings.Repeat("x", maxFetched)))
	mux.HandleFunc("/agent", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.UserAgent()) })
	mux.HandleFunc("/404", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "<h1>Not\x1b[31m here</h1>"+strings.Repeat("<p>long", 100))
	})
	mux.Handle("/here", http.RedirectHandler("/page", http.StatusFound))
	mux.Handle("/there", http.RedirectHandler("http://user:pw@other.test/page?x=1", http.StatusMovedPermanently))
	mux.Handle("/port", http.RedirectHandler("http://127.0.0.1:1/page", http.StatusFound))
	mux.Handle("/file", http.RedirectHandler("file:///etc/passwd", http.StatusFound))
	mux.Handle("/circle", http.RedirectHandler("/circle", http.StatusFound))
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/slow-body", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "begun")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestFetch(t *testing.T) {
	server := webServer(t)
	tools := []Tool{fetchTool()}
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, test := range map[string]struct{ url, want, err string }{
		"a page as its title and text":      {server.URL + "/page", "Title\n\nText & more", ""},
		"a page without a title":            {server.URL + "/untitled", "Text", ""},
		"a page that does not say its type": {server.URL + "/unlabelled", "Text", ""},
		"other text as it is":               {server.URL + "/json", `{"a":"<b>"}`, ""},
		"invalid bytes are replaced":        {server.URL + "/plain", "caf\uFFFD <b>", ""},
		"we say who we are":                 {server.URL + "/agent", "geekagent", ""},
		"white space around it":             {" " + server.URL + "/untitled\n", "Text", ""},
		"a fragment":                        {server.URL + "/untitled#part", "Text", ""},
		"a page of the size allowed":        {server.URL + "/exact", strings.Repeat("x", maxFetched), ""},
		"a page too large is cut": {
			server.URL + "/large", strings.Repeat("x", maxFetched) + "\n[cut: only the first 1048576 bytes of the page were read]", "",
		},
		"a redirect within the host": {server.URL + "/here", "Title\n\nText & more", ""},
		"a redirect to another host": {
			server.URL + "/there", server.URL + "/there redirects to another host, which was not asked: http://user:xxxxx@other.test/page?x=1", "",
		},
		"a redirect to another port": {
			server.URL + "/port", server.URL + "/port redirects to another host, which was not asked: http://127.0.0.1:1/page", "",
		},
		"a redirect to a file": {
			server.URL + "/file", server.URL + "/file redirects to another host, which was not asked: file:///etc/passwd", "",
		},
		"redirects in a circle":         {server.URL + "/circle", "", "/circle: more than 5 redirects"},
		"an image is refused":           {server.URL + "/image", "", "/image: it is no text but image/gif"},
		"binary in disguise is refused": {server.URL + "/binary", "", "/binary: it is no text"},
		"a status of 404": {
			server.URL + "/404?key=s3cret", "", server.URL + `/404: 404 Not Found: Not\x1b[31m here\n\nlong\n\nlong`,
		},
		"nobody listens":   {closed.URL + "/x?key=s3cret", "", closed.URL + "/x: dial tcp "},
		"another scheme":   {"file:///etc/passwd", "", "must begin with http:// or https://"},
		"no scheme":        {"example.com", "", "must begin with http:// or https://"},
		"no host":          {"http:///x", "", "the address has no host"},
		"no address":       {"", "", "must begin with http:// or https://"},
		"a broken address": {"http://[::1/s3cret", "", "the address is not valid"},
		"a user name in it": {
			"http://example.com:s3cret@" + server.Listener.Addr().String(), "", "must not have a user name or password",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "fetch", toolArgs{"url": test.url})
			if test.err != "" {
				wantErrorWith(t, err, test.err)
				if len(err.Error()) > 350 || strings.Contains(err.Error(), "s3cret") {
					t.Errorf("the error says too much: %v", err)
				}
			} else if err != nil || got != test.want {
				t.Errorf("%.200q, %v; want %.200q", got, err, test.want)
			}
		})
	}
	_, err := useTool(t, tools, "fetch", toolArgs{"url": 7})
	wantErrorWith(t, err, "url must be a string")
}

func TestFetchEndsWithItsTime(t *testing.T) {
	server := webServer(t)
	for _, path := range []string{"/slow", "/slow-body"} {
		_, err := fetcher{limit: 50 * time.Millisecond}.fetch(t.Context(), server.URL+path)
		wantErrorWith(t, err, path+": no answer within 50ms")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("ctrl-c"))
		_, err = fetcher{}.fetch(ctx, server.URL+path)
		wantErrorWith(t, err, path+": ctrl-c")
	}
}

func TestWhatIsAskedBeforeAFetch(t *testing.T) {
	const caution = "the address is inside this machine's network: "
	for name, test := range map[string]struct{ url, preview, caution string }{
		"a public name":             {"https://example.com/a?b=c", "About to fetch: https://example.com/a?b=c", ""},
		"a line feed":               {"https://example.com/\nConfirm?", `About to fetch: https://example.com/\nConfirm?`, ""},
		"a public address":          {"http://93.184.216.34", "About to fetch: http://93.184.216.34", ""},
		"localhost":                 {"http://LocalHost:8080/", "About to fetch: http://LocalHost:8080/", caution + "LocalHost"},
		"loopback":                  {"http://127.0.0.1:8910/v1", "About to fetch: http://127.0.0.1:8910/v1", caution + "127.0.0.1"},
		"loopback of IPv6":          {"http://[::1]/", "About to fetch: http://[::1]/", caution + "::1"},
		"an address that is no URL": {"file:///x", "About to fetch: file:///x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tool, data := fetchTool(), argsJSON(t, toolArgs{"url": test.url})
			if got := tool.Preview(t.Context(), data); got != test.preview {
				t.Errorf("the preview is %q, want %q", got, test.preview)
			}
			if got := tool.Caution(data); got != test.caution {
				t.Errorf("the caution is %q, want %q", got, test.caution)
			}
		})
	}
	data := json.RawMessage(`{"url":7}`)
	got := fetchTool().Preview(t.Context(), data)
	if !strings.Contains(got, "This will fail: url must be a string") || fetchTool().Caution(data) != "" {
		t.Errorf("the preview of a wrong type is %q", got)
	}
}

func TestWhichHostsAreInside(t *testing.T) {
	for host, inside := range map[string]bool{
		"localhost": true, "localhost.": true, "db.localhost": true, "printer": true, "nas.local": true, "x.internal": true,
		"127.0.0.1": true, "127.9.9.9": true, "0.0.0.0": true, "10.1.2.3": true, "172.16.0.1": true, "192.168.1.1": true,
		"169.254.169.254": true, "100.64.0.1": true, "255.255.255.255": true, "224.0.0.1": true, "2130706433": true,
		"::1": true, "::": true, "fe80::1": true, "fe80::1%eth0": true, "fd00::1": true, "::ffff:127.0.0.1": true, "ff02::1": true,
		"example.com": false, "localhost.example.com": false, "93.184.216.34": false, "172.32.0.1": false, "2606:2800::1": false,
		"::ffff:93.184.216.34": false,
	} {
		if got := insideName(host); got != inside {
			t.Errorf("insideName(%q) = %v", host, got)
		}
	}
}

// A rule that allows fetch lets public names through without a question. They must not lead inside.
func TestAPublicNameDoesNotLeadInside(t *testing.T) {
	request := httptest.NewRequest(http.MethodGet, "http://public.test/", nil)
	if proxy, err := http.ProxyFromEnvironment(request); proxy != nil || err != nil {
		t.Skip("a proxy is set: names are looked up there")
	}
	server := webServer(t)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	f := fetcher{limit: 10 * time.Second, resolver: resolverOf([4]byte{127, 0, 0, 1})}
	_, err := f.fetch(t.Context(), "http://public.test:"+port+"/page?key=s3cret")
	wantErrorWith(t, err, "http://public.test:"+port+"/page: ")
	wantErrorWith(t, err, "it leads to 127.0.0.1:"+port+", inside this machine's network, and was refused")
	page, err := f.fetch(t.Context(), "http://known.localhost:"+port+"/page")
	if err != nil || page.title != "Title" {
		t.Errorf("a name that a person was warned of: %+v, %v", page, err)
	}
}

// resolverOf answers every question for an IPv4 address with addr. It speaks DNS over an in-memory connection.
func resolverOf(addr [4]byte) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() { // ends with the connection
			defer server.Close()
			for {
				var size [2]byte
				if _, err := io.ReadFull(server, size[:]); err != nil {
					return
				}
				query := make([]byte, binary.BigEndian.Uint16(size[:]))
				if _, err := io.ReadFull(server, query); err != nil {
					return
				}
				if _, err := server.Write(dnsAnswer(query, addr)); err != nil {
					return
				}
			}
		}()
		return client, nil
	}}
}

// dnsAnswer answers a query (RFC 1035, section 4) as it goes over a stream: the size first.
func dnsAnswer(query []byte, addr [4]byte) []byte {
	end := 12 // of the question: its name, then type and class
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5
	answers := byte(0)
	if query[end-3] == 1 { // type A
		answers = 1
	}
	answer := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, answers, 0, 0, 0, 0}, query[12:end]...)
	if answers == 1 {
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4)
		answer = append(answer, addr[:]...)
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)
}
