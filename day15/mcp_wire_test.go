package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestTheWireLog(t *testing.T) {
	t.Setenv("DEMO_TOKEN", "s3cr3t-A")
	var stderr bytes.Buffer
	console := newConsole(strings.NewReader(""), &stderr, &stderr)
	defer console.Close()
	file := filepath.Join(t.TempDir(), "wire.log")
	for _, name := range []string{"-", file} {
		wire, err := openWire(name, console)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { wire.sent("demo", []byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":"s3cr3t-A"}`+"\n")) })
			all.Go(func() { wire.received("notes", []byte("noise \x1b[2J\ttab")) })
		}
		all.Wait()
		if err := wire.close(); err != nil {
			t.Error(err)
		}
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"stderr": stderr.String(), "the file": string(written)} {
		sent := strings.Count(text, `demo → {"jsonrpc":"2.0","id":1,"method":"x","params":"[REDACTED:DEMO_TOKEN]"}`+"\n")
		received := strings.Count(text, "notes ← noise \\x1b[2J\ttab\n")
		if sent != 50 || received != 50 || strings.Count(text, "\n") != 100 {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	if _, err := openWire(filepath.Join(file, "no", "folder"), console); err == nil {
		t.Error("a file that cannot be written is no error")
	}
	var none *wireLog
	none.sent("demo", nil)
	if err := none.close(); err != nil {
		t.Error(err)
	}
}

func TestEveryFrameIsLogged(t *testing.T) {
	inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
		var log bytes.Buffer
		s.peer.wire = &wireLog{redact: newRedactor(nil), w: &log}
		call := goCall(t.Context(), s, "x")
		f.read()
		f.write("noise\n" + `{"jsonrpc":"2.0","id":"a","method":"ping"}` + "\n")
		f.read()
		f.write(`{"jsonrpc":"2.0","id":1,"result":"<ok>"}` + "\n")
		<-call
		if want := `demo → {"jsonrpc":"2.0","id":1,"method":"x"}
demo ← noise
demo ← {"jsonrpc":"2.0","id":"a","method":"ping"}
demo → {"jsonrpc":"2.0","id":"a","result":{}}
demo ← {"jsonrpc":"2.0","id":1,"result":"<ok>"}
`; log.String() != want {
			t.Errorf("log:\n%s", log.String())
		}
	})
}
