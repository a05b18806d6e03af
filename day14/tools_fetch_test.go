package main

import (
	"bytes"
	"context"
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
	mux := http.NewServeMux()
	for path, page := range map[string][2]string{
		"/page":       {"Text/HTML; charset=utf-8", "<title>Title</title><p>Text &amp; more"},
		"/untitled":   {"text/html", "<p>Text"},
		"/unlabelled": {"", "<!DOCTYPE html><p>Text"},
		"/json":       {"application/json", `{"a":"<b>"}`},
		"/latin1":     {"text/plain; charset=iso-8859-1", "\x80 caf\xe9 <b>"},
		"/gbk":        {"text/html; charset=gbk", "\xbd\xf1\xc8\xd5"},
		"/meta":       {"text/html", "<meta charset=Shift_JIS>\x93\xfa"},
		"/image":      {"image/gif", "GIF89a\x00"},
		"/large":      {"text/plain", strings.Repeat("x", maxFetched+1)},
		"/404":        {"text/html", "<h1>Not here</h1>" + strings.Repeat("<p>long", 100)},
		"/slow":       {"text/plain", "begun"},
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", page[0])
			if path == "/404" {
				w.WriteHeader(http.StatusNotFound)
			}
			io.WriteString(w, page[1])
			if path == "/slow" {
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}
		})
	}
	for path, to := range map[string]string{"/here": "/page", "/there": "http://user:pw@other.test/page?x=1",
		"/port": "http://127.0.0.1:1/page", "/file": "file:///etc/passwd", "/circle": "/circle"} {
		mux.Handle(path, http.RedirectHandler(to, http.StatusFound))
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestFetch(t *testing.T) {
	server := webServer(t).URL
	const elsewhere, scheme = " redirects to ", "the address must begin with http:// or https:// and a host, without user name and password"
	for url, want := range map[string]result{
		"/page":              {"# Title\n\nText & more", ""},
		"/untitled#fragment": {"Text", ""},
		"/unlabelled":        {"Text", ""},
		"/json":              {`{"a":"<b>"}`, ""},
		"/latin1":            {"", "the page is in iso-8859-1"},
		"/large":             {"", "the page has more than 4194304 bytes"},
		"/here":              {"# Title\n\nText & more", ""},
		"/there":             {"", server + "/there" + elsewhere + "http://user:xxxxx@other.test/page?x=1"},
		"/port":              {"", server + "/port" + elsewhere + "http://127.0.0.1:1/page"},
		"/file":              {"", server + "/file" + elsewhere + "file:///etc/passwd"},
		"/circle?q=s3cret":   {"", server + "/circle" + elsewhere + server + "/circle, which"},
		"/gbk?q=s3cret":      {"", "the page is in gbk, which this program does not decode"},
		"/meta":              {"", "the page is in Shift_JIS, which"},
		"/image?q=s3cret":    {"", "it is a binary file"},
		"/404?q=s3cret":      {"", "404 Not Found: # Not here\n\nlong\n\nlong"},

		" " + server + "/untitled\n":              {"Text", ""},
		"http://127.0.0.1:1/x?q=s3cret":           {"", "dial tcp "}, // where nobody listens
		"file:///etc/passwd":                      {"", scheme},
		"example.com":                             {"", scheme},
		"http:///x":                               {"", scheme},
		"http://[::1/s3cret":                      {"", scheme},
		"http://example.com:s3cret@" + server[7:]: {"", scheme},
	} {
		if url[0] == '/' {
			url = server + url
		}
		got, err := perform(t.Context(), fetchTool(), "url", url)
		want.check(t, got, err)
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error says too much: %v", err)
		}
	}
}

func TestFetchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("no answer within 50ms"))
	defer cancel()
	_, err := fetchPage(ctx, webServer(t).URL+"/slow")
	result{"", "no answer within 50ms"}.check(t, "", err)
}

func TestWhatIsAskedBeforeAFetch(t *testing.T) {
	for inside, hosts := range map[bool]string{
		true: "LocalHost:8080 localhost. db.localhost printer nas.local x.internal 127.9.9.9 0.0.0.0 10.1.2.3 172.16.0.1 192.168.1.1 " +
			"169.254.169.254 100.64.0.1 255.255.255.255 224.0.0.1 2130706433 [::] [::1]:80 [fe80::1%25eth0] [fd00::1] [::ffff:100.64.0.1] [ff02::1]",
		false: "example.com localhost.example.com 93.184.216.34 172.32.0.1 [2606:2800::1] [::ffff:93.184.216.34]",
	} {
		for host := range strings.FieldsSeq(hosts) {
			url := "http://" + host + "/?a=b"
			plan, err := fetchTool().Plan(t.Context(), json.RawMessage(`{"url":"`+url+`"}`))
			cautioned := strings.HasPrefix(plan.Caution, "the address is inside this machine's network: ")
			if err != nil || plan.Preview != "About to fetch: "+url || cautioned != inside {
				t.Errorf("%s: %v, %q, %q", url, err, plan.Preview, plan.Caution)
			}
		}
	}
}

// A rule that allows fetch lets public names through without a question. They must not lead inside.
func TestAPublicNameDoesNotLeadInside(t *testing.T) {
	request := httptest.NewRequest(http.MethodGet, "http://public.test/", nil)
	if proxy, err := http.ProxyFromEnvironment(request); proxy != nil || err != nil {
		t.Skip("a proxy is set: names are looked up there")
	}
	system := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return &nameServer{}, nil }}
	defer func() { net.DefaultResolver = system }()
	_, port, _ := net.SplitHostPort(webServer(t).Listener.Addr().String())
	_, err := fetchPage(t.Context(), "http://public.test:"+port+"/page?key=s3cret")
	result{"", "dial tcp 127.0.0.1:" + port + ": it leads to 127.0.0.1:" + port + ", inside"}.check(t, "", err)
	text, err := fetchPage(t.Context(), "http://known.localhost:"+port+"/page") // of which a person was warned
	result{"# Title\n\nText & more", ""}.check(t, text, err)
}

// nameServer is a connection to a server that answers each question of DNS with the address 127.0.0.1 (RFC 1035, section
// 4). On a stream the size of a message comes first.
type nameServer struct {
	net.Conn
	answers bytes.Buffer
}

func (s *nameServer) Write(query []byte) (int, error) {
	end := 14 // of the question: its name, then type and class
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	question := query[14 : end+5]
	s.answers.Write([]byte{0, byte(12 + len(question) + 16), query[2], query[3], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0})
	s.answers.Write(append(question, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1))
	return len(query), nil
}

func (s *nameServer) Read(p []byte) (int, error)  { return s.answers.Read(p) }
func (s *nameServer) SetDeadline(time.Time) error { return nil }
func (s *nameServer) Close() error                { return nil }
