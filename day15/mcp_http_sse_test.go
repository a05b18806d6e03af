package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// readEvents reads all events of a stream, one a line, and returns the reader in its last state.
func readEvents(r io.Reader) (*eventReader, string, error) {
	e := newEventReader(r)
	var all []string
	for {
		data, err := e.next()
		if err != nil {
			return e, strings.Join(all, " | "), err
		}
		all = append(all, string(data))
	}
}

func TestServerSentEvents(t *testing.T) {
	for _, test := range []struct {
		name, stream, events string
		lastID               string
		retry                time.Duration
	}{
		{"lines may end in LF", "data: a\n\ndata: b\n\n", "a | b", "", time.Second},
		{"in CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", "a | b", "", time.Second},
		{"and in CR", "data: a\r\rdata: b\r\r", "a | b", "", time.Second},
		{"or in each of them", "data: a\rdata: b\ndata: c\r\n\ndata: d\n\r\n", "a\nb\nc | d", "", time.Second},
		{"one space after the colon is dropped, or none", "data:a\ndata: b\ndata:  c\n\n", "a\nb\n c", "", time.Second},
		{"data lines of one event are joined", "data: {\"a\":\ndata: 1}\n\n", "{\"a\":\n1}", "", time.Second},
		{"comments and unknown fields are ignored", ": hi\n:\nfoo: bar\nevent: ping\ndata: a\nbaz\n\n", "a", "", time.Second},
		{"the last event may lack its empty line", "data: a\n\ndata: b\n", "a | b", "", time.Second},
		{"and the end of its line", "data: a\n\ndata: b", "a | b", "", time.Second},
		{"the ID is kept", "id: 7\ndata: a\n\ndata: b\n\n", "a | b", "7", time.Second},
		{"also of an event without data", "id: 8\nretry: 500\ndata: \n\n", "", "8", 500 * time.Millisecond},
		{"but not of an event that is cut off", "id: 7\ndata: a\n\nid: 8\ndata: b\n", "a | b", "7", time.Second},
		{"an empty ID takes it back", "id: 7\ndata: a\n\nid\ndata: b\n\n", "a | b", "", time.Second},
		{"an ID with a NUL is none", "id: 7\n\nid: 8\x00\ndata: a\n\n", "a", "7", time.Second},
		{"a retry of anything but digits is none", "retry: soon\nretry: -1\nretry: 1.5\nretry:99999999999999999999\n\n", "", "", time.Second},
		{"a byte order mark may come first", "\xEF\xBB\xBFdata: a\n\n", "a", "", time.Second},
		{"a field without a colon is empty", "data\ndata: a\n\n", "a", "", time.Second},
		{"what is no UTF-8 is replaced", "data: caf\xE9\n\n", "caf\uFFFD", "", time.Second},
		{"no events at all", "", "", "", time.Second},
		{"only empty lines", "\n\r\n\r\r\n", "", "", time.Second},
		{"the bytes of a real server", ": hi\r\n\r\nid: 7\r\nretry: 10\r\nevent: message\r\n" +
			"data:{\"jsonrpc\":\"2.0\",\"id\":2,\r\ndata: \"result\":{\"tools\":[]}}\r\n\r\n",
			"{\"jsonrpc\":\"2.0\",\"id\":2,\n\"result\":{\"tools\":[]}}", "7", 10 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			for how, reader := range map[string]func(io.Reader) io.Reader{
				"at once":           func(r io.Reader) io.Reader { return r },
				"byte by byte":      iotest.OneByteReader,
				"in halves":         iotest.HalfReader,
				"end with the data": iotest.DataErrReader,
			} {
				e, events, err := readEvents(reader(strings.NewReader(test.stream)))
				if events != test.events || err != io.EOF || e.lastID != test.lastID || e.retry != test.retry {
					t.Errorf("%s: got %q, %v, last ID %q, retry %v", how, events, err, e.lastID, e.retry)
				}
			}
		})
	}
}

func TestAnEventIsThereAsSoonAsItsLineEnds(t *testing.T) {
	for name, parts := range map[string][]string{
		"in CR":                            {"data: a\r\r", "data: b\r\r"},
		"cut between CR and LF":            {"data: a\r\n\r", "\ndata: b\r", "\n\r"},
		"cut between CR and LF in a field": {"data: a\r", "\n\r\n", "data: b\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				events := make(chan string, 9)
				go func() {
					defer close(events)
					for e := newEventReader(r); ; {
						data, err := e.next()
						if err != nil {
							return
						}
						events <- string(data)
					}
				}()
				for _, part := range parts {
					io.WriteString(w, part)
				}
				synctest.Wait() // the stream is still open
				if len(events) != 2 {
					t.Errorf("%d events", len(events))
				}
				w.Close()
				if got := <-events + <-events; got != "ab" {
					t.Errorf("got %q", got)
				}
			})
		})
	}
}

func TestABrokenStreamKeepsNoHalfEvent(t *testing.T) {
	broken := errors.New("connection reset")
	e, events, err := readEvents(io.MultiReader(strings.NewReader("id: 7\ndata: a\n\nid: 8\ndata: b\n"), iotest.ErrReader(broken)))
	if events != "a" || err != broken || e.lastID != "7" {
		t.Errorf("got %q, %v, last ID %q", events, err, e.lastID)
	}
	next := e.goOn(strings.NewReader("data: c\n\n"))
	if data, err := next.next(); string(data) != "c" || err != nil || next.lastID != "7" {
		t.Errorf("got %q, %v, last ID %q", data, err, next.lastID)
	}
}

// endless repeats a text without end.
type endless struct{ text, rest string }

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if e.rest == "" {
			e.rest = e.text
		}
		copied := copy(p[n:], e.rest)
		e.rest = e.rest[copied:]
		n += copied
	}
	return n, nil
}

func TestAnEventWithoutEndIsAnError(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"one line":        strings.Repeat("x", 1<<20),
		"many data lines": "data: " + strings.Repeat("x", 1<<18) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, events, err := readEvents(&endless{text: text})
			var failure *connectionError
			if events != "" || !errors.As(err, &failure) || err.Error() != "it sent a message of more than 64 MiB" {
				t.Errorf("got %d bytes, %v", len(events), err)
			}
		})
	}
}

// plainEvents is a second reading of the format, as simple as can be: on the whole text.
func plainEvents(stream string) (string, string) {
	stream = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(stream, "\xEF\xBB\xBF"))
	var all []string
	lastID, id, data, has := "", "", "", false
	dispatch := func() {
		if text := string(oneMessage([]byte(data))); text != "" {
			all = append(all, text)
		}
		data, has = "", false
	}
	for line := range strings.SplitAfterSeq(stream, "\n") {
		line, ended := strings.CutSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && ended:
			lastID = id
			dispatch()
		case name == "data" && has:
			data += "\n" + value
		case name == "data":
			data, has = value, true
		case name == "id" && !strings.Contains(value, "\x00"):
			id = value
		}
	}
	dispatch()
	return strings.Join(all, " | "), lastID
}

func FuzzServerSentEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", ": hi\r\n\r\nid: 7\r\nretry: 10\r\ndata:{\r\ndata: }\r\n\r\n", "data: a\r\rdata\n\r\n",
		"\xEF\xBB\xBFid\ndata:\xE9\n", "id: \x00\n\n\ndata:  x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		want, wantID := plainEvents(stream)
		for _, r := range []io.Reader{strings.NewReader(stream), iotest.OneByteReader(strings.NewReader(stream))} {
			e, events, err := readEvents(r)
			if events != want || err != io.EOF || e.lastID != wantID {
				t.Errorf("%q: got %q, %v, last ID %q; want %q, %q", stream, events, err, e.lastID, want, wantID)
			}
		}
	})
}

func BenchmarkServerSentEvents(b *testing.B) {
	stream := fmt.Sprintf("event: message\nid: 7\ndata: %s\n\n", strings.Repeat("All work and no play. ", 10<<20/22))
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := newEventReader(strings.NewReader(stream)).next(); err != nil {
			b.Fatal(err)
		}
	}
}
