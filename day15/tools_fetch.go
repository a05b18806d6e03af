package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

const (
	fetchLimit   = 20 * time.Second // for one page, redirects included
	maxFetched   = 1 << 20          // bytes of a page that are read
	maxRedirects = 5
)

// fetchTool is the tool fetch.
func fetchTool() Tool {
	return Tool{
		Name:        "fetch",
		Description: "Fetch a web page and show its text.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"url":{"type":"string","description":"The address, beginning with http:// or https://"}},"required":["url"]}`),
		Plan: func(_ context.Context, args json.RawMessage) (Plan, error) {
			var a struct {
				URL string `json:"url"`
			}
			if err := decodeArgs(args, &a); err != nil {
				return Plan{}, err
			}
			_, err := parseAddress(a.URL)
			return Plan{
				Preview: "About to fetch: " + visibleLine(a.URL),
				Caution: addressCaution(a.URL),
				Run: func(ctx context.Context) (string, error) {
					title, text, err := fetchPage(ctx, a.URL)
					return strings.TrimPrefix(title+"\n\n"+text, "\n\n"), err
				},
			}, err
		},
	}
}

// parseAddress takes an address of the web. It fails on other schemes, and on a user name or password in it: what
// stands before an @ looks like the host and is none.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil:
		return nil, errors.New("the address is not valid")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, errors.New("the address must begin with http:// or https:// and a host")
	case u.User != nil:
		return nil, errors.New("the address must not have a user name or password in it")
	}
	return u, nil
}

// plainURL is u for messages: the query, where keys like to travel, is left out.
func plainURL(u *url.URL) string {
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// addressCaution is the Caution of a call with an address of the web: why a person has to be asked even where a rule says
// allow, or "".
func addressCaution(address string) string {
	u, err := parseAddress(address)
	if err != nil || !inside(u.Hostname()) {
		return ""
	}
	return "the address is inside this machine's network: " + u.Hostname()
}

// insideName finds names of this machine and its network: those without a domain are looked up in the local one.
var insideName = regexp.MustCompile(`(?i)^[^.]*\.?$|\.(?:localhost|local|internal)\.?$`)

// inside reports whether a host's name or IP address, as it stands in a URL, belongs to this machine or its network.
// A public name can still lead there: see refuseInside.
func inside(host string) bool {
	addr, err := netip.ParseAddr(strings.TrimSuffix(host, "."))
	if addr = addr.Unmap(); err != nil {
		return insideName.MatchString(host)
	}
	shared := netip.MustParsePrefix("100.64.0.0/10") // RFC 6598: between a provider and its customers
	return !addr.IsGlobalUnicast() || addr.IsPrivate() || shared.Contains(addr)
}

// refuseInside is a net.Dialer's Control for names that look public: by now the name is resolved, and nobody was
// warned that it leads into this machine's network.
func refuseInside(_, address string, _ syscall.RawConn) error {
	if host, _, err := net.SplitHostPort(address); err != nil || inside(host) {
		return fmt.Errorf("it leads to %s, inside this machine's network, and was refused", address)
	}
	return nil
}

// fetchPage reads one page as text; the title is "" if it has none. A redirect to another host is not followed: the text
// says where it leads, and a person is asked anew. It fails, without the query of the address in the error, on a status of
// 400 or above, on a page that is no text, after fetchLimit, and where a public name leads into this machine's network.
func fetchPage(ctx context.Context, address string) (title, text string, err error) {
	u, err := parseAddress(address)
	if err != nil {
		return "", "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchLimit, fmt.Errorf("no answer within %v", fetchLimit))
	defer cancel()
	if title, text, err = readPage(ctx, u, maxRedirects); err != nil {
		err = fmt.Errorf("%s: %w", plainURL(u), err)
	}
	return title, text, err
}

// readPage reads the page at u, or the one that it redirects to.
func readPage(ctx context.Context, u *url.URL, redirects int) (title, text string, err error) {
	response, err := fetchOnce(ctx, u)
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	if to, err := response.Location(); err == nil && response.StatusCode/100 == 3 {
		switch {
		case !strings.EqualFold(to.Host, u.Host):
			return "", plainURL(u) + " redirects to another host, which was not asked: " + to.Redacted(), nil
		case redirects == 0:
			return "", "", fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return readPage(ctx, to, redirects-1)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxFetched+1))
	if err != nil {
		return "", "", err
	}
	note, kind := "", strings.ToLower(response.Header.Get("Content-Type"))
	if len(body) > maxFetched {
		body = bytes.TrimRightFunc(body[:maxFetched], func(r rune) bool { return r == utf8.RuneError }) // half a character
		note = fmt.Sprintf("\n[cut: only the first %d bytes of the page were read]", maxFetched)
	}
	text, err = decodePage(kind, body)
	if kind == "" || strings.Contains(kind, "html") {
		title, text = pageText(text)
	}
	if response.StatusCode >= 400 {
		err = fmt.Errorf("%s: %s", response.Status, text)
	}
	return title, text + note, err
}

// fetchOnce sends one request over a connection of its own, so that what is known of the address holds for the connection. A
// proxy looks names up itself: where a public name leads is then out of our sight.
func fetchOnce(ctx context.Context, u *url.URL) (*http.Response, error) {
	request := (&http.Request{URL: u, Header: http.Header{"User-Agent": {"geekagent"}}}).WithContext(ctx)
	proxy, err := http.ProxyFromEnvironment(request)
	if err != nil {
		return nil, errors.New("HTTP_PROXY or HTTPS_PROXY is not a valid address")
	}
	var dialer net.Dialer
	if proxy == nil && !inside(u.Hostname()) { // of a name inside the Caution has told the person
		dialer.Control = refuseInside
	}
	transport := http.Transport{Proxy: http.ProxyURL(proxy), DialContext: dialer.DialContext, DisableKeepAlives: true}
	return transport.RoundTrip(request)
}
