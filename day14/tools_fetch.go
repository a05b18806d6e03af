package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	fetchLimit   = 20 * time.Second
	maxFetched   = 1 << 20 // bytes of a page that are read
	maxRedirects = 5
)

const fetchSchema = `{"type":"object","properties":{
	"url":{"type":"string","description":"The address, beginning with http:// or https://"}},"required":["url"]}`

// fetcher reads pages from the web. The zero fetcher has no time limit; it is safe for concurrent use.
type fetcher struct {
	limit    time.Duration // for one page, redirects included
	resolver *net.Resolver // nil stands for the system's
}

// webPage is a page as text.
type webPage struct {
	title string // "" if it has none
	text  string
}

// fetchTool is the tool fetch.
func fetchTool() Tool {
	f := fetcher{limit: fetchLimit}
	return Tool{
		Name:        "fetch",
		Description: "Fetch a web page and show its text.",
		Parameters:  json.RawMessage(fetchSchema),
		Run:         f.run,
		Preview: func(_ context.Context, args json.RawMessage) string {
			address, err := fetchAddress(args)
			if err != nil {
				return failingPreview("fetch", args, err)
			}
			return "About to fetch: " + visibleLine(address)
		},
		Caution: func(args json.RawMessage) string {
			address, _ := fetchAddress(args) // Run reports the error
			return addressCaution(address)
		},
	}
}

// fetchAddress takes the address out of a call, as the model wrote it.
func fetchAddress(args json.RawMessage) (string, error) {
	a := struct {
		URL string `json:"url"`
	}{}
	err := decodeArgs(args, &a)
	return a.URL, err
}

// run is a call of the tool: the title of the page, and its text.
func (f fetcher) run(ctx context.Context, args json.RawMessage) (string, error) {
	address, err := fetchAddress(args)
	if err != nil {
		return "", err
	}
	page, err := f.fetch(ctx, address)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(page.title+"\n\n"+page.text, "\n\n"), nil
}

// fetch reads one page as text. A redirect to another host is not followed: the text says where it leads, and a person
// is asked anew. It fails, without the query of the address in the error, on a status of 400 or above, on a page that is
// no text, after f.limit, and where a public name leads into this machine's network (see get).
func (f fetcher) fetch(ctx context.Context, address string) (webPage, error) {
	if f.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, f.limit, fmt.Errorf("no answer within %v", f.limit))
		defer cancel()
	}
	at, err := parseAddress(address)
	for hop := 0; err == nil; hop++ {
		var response *http.Response
		if response, err = f.get(ctx, at); err != nil {
			break
		}
		to, redirectErr := response.Location()
		if response.StatusCode/100 != 3 || redirectErr != nil {
			return readPage(ctx, at, response)
		}
		response.Body.Close()
		switch {
		case !strings.EqualFold(to.Host, at.Host):
			return webPage{text: fmt.Sprintf("%s redirects to another host, which was not asked: %s", plainURL(at), to.Redacted())}, nil
		case hop == maxRedirects:
			return webPage{}, fmt.Errorf("%s: more than %d redirects", plainURL(at), maxRedirects)
		}
		at, err = parseAddress(to.String())
	}
	return webPage{}, err
}

// get sends one request. A transport of its own for each makes sure that the answer about the address holds for the
// connection that is used. A proxy looks names up itself: where a public name leads is then out of our sight.
func (f fetcher) get(ctx context.Context, u *url.URL) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errors.New("the address is not valid")
	}
	request.Header.Set("User-Agent", "geekagent")
	proxy, err := http.ProxyFromEnvironment(request)
	if err != nil {
		return nil, errors.New("HTTP_PROXY or HTTPS_PROXY is not a valid address")
	}
	dialer := net.Dialer{Resolver: f.resolver}
	if proxy == nil && !insideName(u.Hostname()) { // of a name inside the Caution has told the person
		dialer.Control = refuseInside
	}
	client := http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyURL(proxy), DialContext: dialer.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fetchError(ctx, u, err)
	}
	return response, nil
}

// readPage reads and closes an answer's body.
func readPage(ctx context.Context, u *url.URL, response *http.Response) (webPage, error) {
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxFetched+1))
	if err != nil {
		return webPage{}, fetchError(ctx, u, err)
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")) // "" if it cannot be told
	if mediaType == "" {
		mediaType, _, _ = strings.Cut(http.DetectContentType(body), ";")
	}
	text := body[:min(len(body), maxFetched)]
	var page webPage
	switch major, _, _ := strings.Cut(mediaType, "/"); {
	case isBinary(body) || slices.Contains([]string{"image", "audio", "video", "font"}, major):
		err = fmt.Errorf("%s: it is no text but %s", plainURL(u), mediaType)
	case mediaType == "text/html" || mediaType == "application/xhtml+xml":
		page.title, page.text = pageText(string(text))
	default:
		page.text = strings.ToValidUTF8(string(text), "\uFFFD")
	}
	if response.StatusCode >= 400 {
		return webPage{}, fmt.Errorf("%s: %s: %s", plainURL(u), response.Status, preview(page.text, 200))
	}
	if len(body) > maxFetched {
		page.text += fmt.Sprintf("\n[cut: only the first %d bytes of the page were read]", maxFetched)
	}
	return page, err
}

// fetchPage is a Fetch, with the limits of the tool.
func fetchPage(ctx context.Context, address string) (title, text string, err error) {
	page, err := fetcher{limit: fetchLimit}.fetch(ctx, address)
	return page.title, page.text, err
}
