package main

import (
	"cmp"
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
)

const (
	fetchLimit = 20 * time.Second // for one page, redirects included
	maxFetched = 4 << 20          // bytes of a page
)

// fetchTool is the tool fetch.
func fetchTool() Tool {
	return Tool{
		Name:        "fetch",
		Description: "Fetch a web page and show its text.",
		Parameters: json.RawMessage(`{"type":"object","properties":{
	"url":{"type":"string","description":"The address, beginning with http:// or https://"}},"required":["url"]}`),
		Plan: planReading("About to fetch: ", isAddress, fetchPage),
	}
}

// Fetch reads a web page as plain text.
type Fetch func(ctx context.Context, address string) (text string, err error)

// planReading is the Plan of a tool whose argument, url or source, may name a web page. A person has to be asked about a
// page inside this machine's network even where a rule says allow. It fails as check does.
func planReading(about string, check func(source string) error, read Fetch) func(context.Context, json.RawMessage) (Plan, error) {
	return func(_ context.Context, args json.RawMessage) (Plan, error) {
		var a struct{ URL, Source string }
		err := decodeArgs(args, &a)
		source, caution := a.URL+a.Source, ""
		if u, no := parseAddress(source); no == nil && inside(u.Hostname()) {
			caution = "the address is inside this machine's network: " + u.Hostname()
		}
		if err == nil {
			err = check(source)
		}
		return Plan{about + visibleLine(source), caution, func(ctx context.Context) (string, error) { return read(ctx, source) }}, err
	}
}

// isAddress fails for what parseAddress refuses.
func isAddress(text string) error {
	_, err := parseAddress(text)
	return err
}

// isPage reports whether a source is a web page rather than a file.
func isPage(source string) bool { return strings.Contains(source, "://") }

// parseAddress takes an address of the web. It fails on other schemes, and on a user name or password in it: what
// stands before an @ looks like the host and is none.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, errors.New("the address must begin with http:// or https:// and a host, without user name and password")
	}
	return u, nil
}

// plainURL is u for messages: the query, where keys like to travel, is left out.
func plainURL(u *url.URL) string {
	return u.Scheme + "://" + u.Host + u.EscapedPath()
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

// fetchPage is the Fetch of this program. It fails, without the query of the address in the error, on a status of 400 or
// above, on a redirect to another host, about which a person has to be asked, on a page that is no text or too long,
// after fetchLimit, and where a public name leads into this machine's network.
func fetchPage(ctx context.Context, address string) (string, error) {
	u, err := parseAddress(address)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchLimit, fmt.Errorf("no answer within %v", fetchLimit))
	defer cancel()
	request := (&http.Request{URL: u, Header: http.Header{"User-Agent": {"geekagent"}}}).WithContext(ctx)
	proxy, err := http.ProxyFromEnvironment(request)
	if err != nil {
		return "", errors.New("HTTP_PROXY or HTTPS_PROXY is not a valid address")
	}
	var dialer net.Dialer
	// A proxy looks names up itself: where a public name leads is then out of our sight. Of a name inside, the Caution has
	// told the person.
	if proxy == nil && !inside(u.Hostname()) {
		dialer.Control = refuseInside
	}
	client := http.Client{
		Transport: &http.Transport{Proxy: http.ProxyURL(proxy), DialContext: dialer.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if next.URL.Host != u.Host || len(via) > 5 {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
	response, err := client.Do(request)
	if err != nil {
		return "", errors.Unwrap(err) // of an *url.Error, whose text has the query
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxFetched+1))
	if len(body) > maxFetched {
		err = fmt.Errorf("the page has more than %d bytes", maxFetched)
	}
	if err != nil {
		return "", err
	}
	text, err := decodePage(cmp.Or(response.Header.Get("Content-Type"), "text/html"), body)
	if response.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s %s\n%s", plainURL(u), response.Status, response.Header.Get("Location"), text) // of a redirect, where it leads
	}
	return text, err
}
