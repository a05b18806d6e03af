package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// The number of passages that rag_search returns: unless told, and at most. What is found has to fit into one result.
const (
	someHits = 5
	mostHits = 20
)

// Tools returns the tools through which the model uses the knowledge base. Adding asks a person: it reads a file or
// fetches a page, and what stands there comes back in later conversations.
func (k *Knowledge) Tools() []Tool {
	return []Tool{{
		Name: "rag_add",
		Description: "Add a file, the text files of a folder, or a web page to the knowledge base. " +
			"What came from the same source before is replaced.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"source":{"type":"string","description":"a path inside the root, or an http or https URL"}},"required":["source"]}`),
		Run:     k.runAdd,
		Preview: previewAdd,
		Caution: func(args json.RawMessage) string {
			var in addArgs
			_ = decodeArgs(args, &in) // Run reports the error
			return addressCaution(in.Source)
		},
	}, {
		Name: "rag_search",
		Description: "Search the knowledge base: documents and web pages that were added to it. " +
			"Returns passages with their title, number and source; name them in the answer.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"query":{"type":"string","description":"words that the passage contains, in the language of the documents"},` +
			`"limit":{"type":"integer","minimum":1,"maximum":20,"description":"number of passages; default 5"}},"required":["query"]}`),
		Run:      k.runSearch,
		Parallel: true,
		Policy:   Allow,
	}}
}

// addArgs are the arguments of rag_add.
type addArgs struct {
	Source string `json:"source"`
}

func previewAdd(_ context.Context, args json.RawMessage) string {
	var in addArgs
	if err := decodeArgs(args, &in); err != nil {
		return failingPreview("rag_add", args, err)
	}
	return "About to add to the knowledge base: " + visibleLine(in.Source)
}

func (k *Knowledge) runAdd(ctx context.Context, args json.RawMessage) (string, error) {
	var in addArgs
	if err := decodeArgs(args, &in); err != nil {
		return "", err
	}
	added, err := k.Add(ctx, in.Source)
	if err != nil {
		return "", err
	}
	return added.String(), nil
}

func (k *Knowledge) runSearch(_ context.Context, args json.RawMessage) (string, error) {
	var in struct {
		Query string      `json:"query"`
		Limit wholeNumber `json:"limit"`
	}
	if err := decodeArgs(args, &in); err != nil {
		return "", err
	}
	if in.Limit < 1 {
		in.Limit = someHits
	}
	hits := k.Search(in.Query, min(int(in.Limit), mostHits))
	switch {
	case k.Len() == 0:
		return "The knowledge base is empty.", nil
	case len(hits) == 0:
		return fmt.Sprintf("Nothing found: no passage in the knowledge base (%d documents) has a word of %q.", k.Len(), in.Query), nil
	}
	var found []string
	for i, hit := range hits {
		found = append(found, fmt.Sprintf("[%d] %s, passage %d (%s)\n%s", i+1, hit.Title, hit.Passage, hit.Source, hit.Text))
	}
	return strings.Join(found, "\n\n"), nil
}
