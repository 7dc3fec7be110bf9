module sextant-sdk-day

go 1.26.8

require github.com/aptos-labs/aptos-go-sdk v1.13.0

require (
	filippo.io/edwards25519 v1.1.1 // indirect
	github.com/coder/websocket v1.8.14 // indirect
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/hasura/go-graphql-client v0.15.1 // indirect
	github.com/hdevalence/ed25519consensus v0.2.0 // indirect
)
