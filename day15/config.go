package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// defaultBaseURL and defaultModel hold where the environment says nothing.
const (
	defaultBaseURL = "https://api.openai.com/v1"
	defaultModel   = "gpt-4.1-mini"
)

// Config says which model is used, and where it is.
type Config struct {
	BaseURL string // of the Chat Completions API, up to and with /v1
	Key     string
	Model   string
}

// loadConfig reads the configuration from OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL; getenv is os.Getenv.
// Check says whether it can be used.
func loadConfig(getenv func(string) string) Config {
	config := Config{
		BaseURL: strings.TrimSpace(getenv("OPENAI_BASE_URL")),
		Key:     strings.TrimSpace(getenv("OPENAI_API_KEY")),
		Model:   strings.TrimSpace(getenv("OPENAI_MODEL")),
	}
	if config.BaseURL == "" {
		config.BaseURL = defaultBaseURL
	}
	if config.Model == "" {
		config.Model = defaultModel
	}
	return config
}

// Check fails if no request can be made with the configuration; the error says what to do. Commands run without a
// model, so this is asked only when one is needed.
func (c Config) Check() error {
	if c.Key == "" {
		return errors.New("there is no API key: set OPENAI_API_KEY (a local server takes any text), " +
			"or try it offline: go run ./mockllm go run ./" + filepath.Base(os.Args[0]))
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return fmt.Errorf("OPENAI_BASE_URL is %q; expected a URL such as http://localhost:11434/v1", c.Address())
	}
	return nil
}

// Address is BaseURL for a message: without user name and password.
func (c Config) Address() string {
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return "(not a URL)"
	}
	base.User, base.RawQuery = nil, ""
	return base.String()
}
