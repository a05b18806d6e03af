package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// decodeArgs reads a call's arguments into v, a pointer to a struct with JSON tags. Members that v does not have are
// ignored. It fails on a member of the wrong type, in words for the model: "path must be a string".
func decodeArgs(args json.RawMessage, v any) error {
	err := json.Unmarshal(args, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Errorf("%s must be %s", wrong.Field, argKind(wrong.Type))
	}
	if err != nil {
		return fmt.Errorf("the arguments cannot be read: %w", err)
	}
	return nil
}

func argKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Int:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

// wholeNumber is an integer argument. Models also write it as "10" or 10.0.
type wholeNumber int

// UnmarshalJSON leaves n alone where the argument is null.
func (n *wholeNumber) UnmarshalJSON(data []byte) error {
	text := strings.TrimSpace(strings.Trim(string(data), `"`))
	if text == "null" || text == "" {
		return nil
	}
	i, err := strconv.Atoi(strings.TrimSuffix(text, ".0"))
	if err != nil {
		return &json.UnmarshalTypeError{Value: text, Type: reflect.TypeFor[wholeNumber]()}
	}
	*n = wholeNumber(i)
	return nil
}
