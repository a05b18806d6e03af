package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// parseAddress takes an address of the web. It fails on other schemes, and on a user name or password in it: what
// stands before an @ looks like the host and is none.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil:
		return nil, errors.New("the address is not valid")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the address must begin with http:// or https://")
	case u.Hostname() == "":
		return nil, errors.New("the address has no host")
	case u.User != nil:
		return nil, errors.New("the address must not have a user name or password in it")
	}
	return u, nil
}

// addressCaution is the Caution of a tool that is given an address of the web by the model: why a person has to be asked
// even where a rule says allow, or "".
func addressCaution(address string) string {
	u, err := parseAddress(address)
	if err != nil || !insideName(u.Hostname()) {
		return ""
	}
	return "the address is inside this machine's network: " + visibleLine(u.Hostname())
}

// insideName reports whether a host's name or address, as it stands in a URL, belongs to this machine or its network.
// A public name can still lead there: see refuseInside.
func insideName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return insideAddr(addr)
	}
	for _, zone := range []string{"localhost", "local", "internal"} {
		if host == zone || strings.HasSuffix(host, "."+zone) {
			return true
		}
	}
	return !strings.Contains(host, ".") // a name without a domain is looked up in the local one
}

// insideAddr reports whether an IP address is loopback, private, link-local or otherwise not of the public internet.
func insideAddr(addr netip.Addr) bool {
	addr = addr.Unmap()
	shared := netip.MustParsePrefix("100.64.0.0/10") // RFC 6598: between a provider and its customers
	return !addr.IsGlobalUnicast() || addr.IsPrivate() || shared.Contains(addr)
}

// refuseInside is a net.Dialer's Control for names that look public: by now the name is resolved, and nobody was
// warned that it leads into this machine's network.
func refuseInside(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || insideAddr(to.Addr()) {
		return fmt.Errorf("it leads to %s, inside this machine's network, and was refused", address)
	}
	return nil
}

// plainURL is u for messages: the query, where keys like to travel, is left out.
func plainURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// fetchError names the address once, and the cause. A *url.Error would print the whole address with its query.
func fetchError(ctx context.Context, u *url.URL, err error) error {
	var whole *url.Error
	if errors.As(err, &whole) {
		err = whole.Err
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return fmt.Errorf("%s: %w", plainURL(u), err)
}
