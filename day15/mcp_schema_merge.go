package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// What a merger follows at most: schemas are foreign text, and a few lines of $ref can describe millions of branches.
const (
	maxBranches    = 200
	maxBranchDepth = 16
)

// merger collects the properties that are scattered over the branches of a schema.
type merger struct {
	root     jsonObject            // where $ref points into
	parsed   map[string]jsonObject // what lies on the way, for a schema with many $refs
	visited  map[string]bool       // the $refs that were followed: a schema may contain itself
	branches int

	order    []string            // the properties, as they came up
	found    map[string][]string // property → its schemas, one JSON text for each that differs
	required []string            // what all of them require
}

// newMerger returns a merger for a schema, whose root keeps its members.
func newMerger(root jsonObject) *merger {
	return &merger{
		root: slices.Clone(root), parsed: map[string]jsonObject{},
		visited: map[string]bool{}, found: map[string][]string{},
	}
}

// keyword follows one keyword of a schema. always says that the branch holds whatever else does: what an allOf
// requires is required, what one of several branches requires is not.
func (m *merger) keyword(name string, value json.RawMessage, always bool, depth int) error {
	switch name {
	case "$ref":
		if target := m.resolve(value); target != nil && !m.visited[string(value)] {
			m.visited[string(value)] = true
			return m.branch(target, always, depth+1)
		}
	case "allOf", "anyOf", "oneOf":
		var branches []json.RawMessage
		_ = json.Unmarshal(value, &branches) // no list: nothing in it to merge
		for _, branch := range branches {
			if err := m.branch(branch, always && name == "allOf", depth+1); err != nil {
				return err
			}
		}
	case "properties":
		properties, _ := parseObject(value) // no object: nothing in it to merge
		for _, property := range properties {
			m.property(property.key, property.value)
		}
	case "required":
		var names []string
		if always && json.Unmarshal(value, &names) == nil {
			m.required = append(m.required, names...)
		}
	}
	return nil
}

func (m *merger) branch(schema json.RawMessage, always bool, depth int) error {
	if m.branches++; m.branches > maxBranches || depth > maxBranchDepth {
		return fmt.Errorf("its schema has too many branches at the root (more than %d, or %d deep)", maxBranches, maxBranchDepth)
	}
	members, _ := parseObject(schema) // true and false have no properties
	for _, member := range members {
		if err := m.keyword(member.key, member.value, always, depth); err != nil {
			return err
		}
	}
	return nil
}

// property notes one schema of a property; the same schema in another branch adds nothing.
func (m *merger) property(name string, schema json.RawMessage) {
	text := compact(schema)
	if m.found[name] == nil {
		m.order = append(m.order, name)
	}
	if !slices.Contains(m.found[name], text) {
		m.found[name] = append(m.found[name], text)
	}
}

// into writes what was found into the root, and returns the names that are new there. The root's own properties win.
// Where branches differ, say in the constant that tells them apart, each stays possible: anyOf is refused at the root
// alone.
func (m *merger) into(root *jsonObject) (added []string) {
	properties, err := parseObject(root.get("properties"))
	if err != nil && root.get("properties") != nil {
		return nil // mendProperties refuses it
	}
	own := map[string]bool{}
	for _, property := range properties {
		own[property.key] = true
	}
	for _, name := range m.order {
		if own[name] {
			continue
		}
		schema := m.found[name][0]
		if len(m.found[name]) > 1 {
			schema = `{"anyOf":[` + strings.Join(m.found[name], ",") + "]}"
		}
		properties = append(properties, jsonMember{name, json.RawMessage(schema)})
		added = append(added, name)
	}
	if added != nil {
		root.set("properties", properties.json())
	}
	m.require(root)
	return added
}

func (m *merger) require(root *jsonObject) {
	var required []string
	_ = json.Unmarshal(root.get("required"), &required) // absent, or a list: mendRequired came first
	before := len(required)
	seen := map[string]bool{}
	for _, name := range required {
		seen[name] = true
	}
	for _, name := range m.required {
		if !seen[name] {
			seen[name] = true
			required = append(required, name)
		}
	}
	if len(required) > before {
		list, _ := json.Marshal(required) // strings always have a JSON form
		root.set("required", list)
	}
}

// resolve returns the schema that a local $ref such as "#/$defs/Point" points to (RFC 6901), or nil. Nothing is fetched.
func (m *merger) resolve(ref json.RawMessage) json.RawMessage {
	var pointer string
	if json.Unmarshal(ref, &pointer) != nil || !strings.HasPrefix(pointer, "#/") {
		return nil
	}
	pointer, err := url.PathUnescape(pointer[2:])
	if err != nil {
		return nil
	}
	object, walked := m.root, ""
	steps := strings.Split(pointer, "/")
	for _, step := range steps[:len(steps)-1] {
		target := object.get(pointerEscapes.Replace(step))
		walked += "/" + step
		if _, known := m.parsed[walked]; !known {
			m.parsed[walked], _ = parseObject(target) // nil, and the end, where there is no object
		}
		object = m.parsed[walked]
	}
	return object.get(pointerEscapes.Replace(steps[len(steps)-1]))
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")
