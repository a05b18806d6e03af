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

// webServer answers with several kinds of pages: the content type, a line feed, and the text. A content type in the form of
// an address is a redirect. The server's own address is one of this machine.
func webServer(t *testing.T) string {
	pages := map[string]string{
		"/page":       "Text/HTML; charset=utf-8\n<title>Title</title><p>Text &amp; more",
		"/unlabelled": "\n<!DOCTYPE html><p>Text",
		"/json":       "application/json\n{\"a\":\"<b>\"}",
		"/broken":     "text/plain; charset=UTF-8\na\xffb",
		"/gbk":        "text/html; charset=gbk\n\xbd\xf1\xc8\xd5",
		"/meta":       "text/html\n<meta charset=Shift_JIS>\x93\xfa",
		"/image":      "image/gif\nGIF89a\x00",
		"/large":      "text/plain\n" + strings.Repeat("x", maxFetched+1),
		"/404":        "text/html\n<h1>Not here</h1><p>long",
		"/slow":       "text/plain\nbegun",
		"/here":       "/page",
		"/there":      "http://other.test/page?x=1",
		"/port":       "http://127.0.0.1:1/page",
		"/file":       "file:///etc/passwd",
		"/circle":     "/circle",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, text, found := strings.Cut(pages[r.URL.Path], "\n")
		if !found {
			http.Redirect(w, r, kind, http.StatusFound)
		}
		w.Header().Set("Content-Type", kind)
		if r.URL.Path == "/404" {
			w.WriteHeader(http.StatusNotFound)
		}
		io.WriteString(w, text)
		if r.URL.Path == "/slow" {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestFetch(t *testing.T) {
	server := webServer(t)
	const scheme = "error: the address must begin with http:// or https:// and a host, without user name and password"
	for url, want := range map[string]string{
		"/page":            "# Title\n\nText & more",
		"/page#fragment":   "# Title\n\nText & more",
		"/unlabelled":      "Text",
		"/json":            `{"a":"<b>"}`,
		"/broken":          "a\xffb",
		"/here":            "# Title\n\nText & more",
		"/there":           "error: " + server + "/there: 302 Found http://other.test/page?x=1\n…",
		"/port":            "error: " + server + "/port: 302 Found http://127.0.0.1:1/page\n…",
		"/file":            "error: " + server + "/file: 302 Found file:///etc/passwd\n…",
		"/circle?q=s3cret": "error: " + server + "/circle: 302 Found /circle\n…",
		"/gbk?q=s3cret":    "error: the page is in gbk, which this program does not decode",
		"/meta":            "error: the page is in Shift_JIS, …",
		"/image?q=s3cret":  "error: it is a binary file, not text",
		"/large":           "error: the page has more than 4194304 bytes",
		"/404?q=s3cret":    "error: " + server + "/404: 404 Not Found \n# Not here\n\nlong",

		" " + server + "/unlabelled\n":            "Text",
		"http://127.0.0.1:1/x?q=s3cret":           "error: dial tcp …", // where nobody listens
		"file:///etc/passwd":                      scheme,
		"example.com":                             scheme,
		"http:///x":                               scheme,
		"http://[::1/s3cret":                      scheme,
		"http://example.com:s3cret@" + server[7:]: scheme,
	} {
		if url[0] == '/' {
			url = server + url
		}
		got, err := perform(t.Context(), fetchTool(), "url", url)
		check(t, want, got, err)
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error says too much: %v", err)
		}
	}
}

func TestFetchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("no answer within 50ms"))
	defer cancel()
	got, err := fetchPage(ctx, webServer(t)+"/slow")
	check(t, "error: no answer within 50ms", got, err)
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
	if proxy, err := http.ProxyFromEnvironment(httptest.NewRequest("", "http://public.test/", nil)); proxy != nil || err != nil {
		t.Skip("a proxy is set: names are looked up there")
	}
	system := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return &nameServer{}, nil }}
	defer func() { net.DefaultResolver = system }()
	_, port, _ := strings.Cut(webServer(t)[7:], ":")
	got, err := fetchPage(t.Context(), "http://public.test:"+port+"/page?key=s3cret")
	check(t, "error: dial tcp 127.0.0.1:"+port+": it leads to 127.0.0.1:"+port+", inside this machine's network, and was refused", got, err)
	got, err = fetchPage(t.Context(), "http://known.localhost:"+port+"/page") // of which a person was warned
	check(t, "# Title\n\nText & more", got, err)
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
