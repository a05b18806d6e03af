#!/bin/sh
# The client that the official MCP conformance suite drives: it gets the server's URL as its last argument, and the
# scenario and the protocol version in the environment. Each scenario is a few commands of day15, without a model.
# It needs jq; the suite needs node 22. For each scenario and version:
#
#	go build -o ./day15.bin ./day15
#	DAY15=$PWD/day15.bin npx @modelcontextprotocol/conformance@0.2.0-alpha.12 client \
#	    --command "$PWD/docs/conformance.sh" --scenario tools_call --spec-version 2025-11-25
for url; do :; done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
jq -n --arg url "$url" --arg version "$MCP_CONFORMANCE_PROTOCOL_VERSION" \
	'{mcpServers: {s: {url: $url, protocolVersion: $version}}}' >mcp.json
agent() { "$DAY15" -yes -mcp mcp.json "$@"; }

case $MCP_CONFORMANCE_SCENARIO in
tools_call) agent '/call mcp_s_add_numbers {"a":2,"b":3}' ;;
sse-retry) agent '/call mcp_s_test_reconnection {}' ;;
http-standard-headers) agent '/call mcp_s_test_headers {}' ;;
http-custom-headers) # the suite says which calls, with which arguments
	printf '%s' "$MCP_CONFORMANCE_CONTEXT" | jq -r '.toolCalls[] | "/call mcp_s_\(.name) \(.arguments)"' >calls
	while read -r call; do agent "$call" || exit 1; done <calls ;;
http-invalid-tool-headers) agent '/call mcp_s_valid_tool {"region":"x"}' ;;
json-schema-2020-12-preservation) # sends the schema back as it was received
	agent '/tools mcp_s_json_schema_2020_12_tool' >tool
	schema=$(sed -n '/as it was received:$/,$p' tool | tail -n +2) # stands there if the model gets another one
	[ -n "$schema" ] || schema=$(sed '/^}$/q' tool | jq -c .function.parameters)
	agent "/call mcp_s_json_schema_echo {\"schema\":$schema}" ;;
*) agent /tools ;;
esac
