package main

import (
	"encoding/json"
	"testing"
)

func TestDecodeArgs(t *testing.T) {
	type target struct {
		Path  string      `json:"path"`
		Limit wholeNumber `json:"limit"`
		All   bool        `json:"all"`
	}
	for name, test := range map[string]struct {
		args string
		want target
		err  string
	}{
		"what fits is taken":                        {`{"path":"a","limit":10,"all":true}`, target{"a", 10, true}, ""},
		"unknown members are ignored":               {`{"path":"a","colour":"red"}`, target{Path: "a"}, ""},
		"null leaves a member as it is":             {`{"path":null,"limit":null}`, target{}, ""},
		"a number may be a string":                  {`{"limit":"10"}`, target{Limit: 10}, ""},
		"a number may end in .0":                    {`{"limit":10.0}`, target{Limit: 10}, ""},
		"a number for a string is named":            {`{"path":5}`, target{}, "path must be a string"},
		"a list for a string is named":              {`{"path":["a"]}`, target{}, "path must be a string"},
		"a word for a number is named":              {`{"limit":"ten"}`, target{}, "limit must be a whole number"},
		"a fraction for a number is named":          {`{"limit":1.5}`, target{}, "limit must be a whole number"},
		"an object for a number is named":           {`{"limit":{}}`, target{}, "limit must be a whole number"},
		"a number too large for the machine, named": {`{"limit":99999999999999999999}`, target{}, "limit must be a whole number"},
		"a word for a boolean is named":             {`{"all":"yes"}`, target{}, "all must be true or false"},
	} {
		t.Run(name, func(t *testing.T) {
			var got target
			err := decodeArgs(json.RawMessage(test.args), &got)
			if test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil || got != test.want {
				t.Fatalf("%+v, %v; want %+v", got, err, test.want)
			}
		})
	}
}
